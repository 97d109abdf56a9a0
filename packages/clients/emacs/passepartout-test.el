;;; passepartout-test.el --- Tests of passepartout.el  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run against a daemon, by packages/clients/test/emacs.test.ts.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'passepartout)

(defun passepartout-test-read (text)
  "Read TEXT, or return the symbol `refused'."
  (condition-case nil
      (passepartout--read text)
    (passepartout-error 'refused)))

(ert-deftest passepartout-test-reads-the-grammar ()
  (should (equal (passepartout--read "(:TYPE :EVENT :PAYLOAD (:TEXT \"a\\\\b\\\"\nc\" :N -12 T NIL))")
                 '(:type :event :payload (:text "a\\b\"\nc" :n -12 t nil))))
  (should (equal (passepartout--read " (1.5 2.0d0 -3.0D2 7. 'T ()) ")
                 '(1.5 2.0 -300.0 7 (quote t) nil)))
  (should (equal (passepartout--read "\"\\n\"") "n"))
  (should (equal (symbol-name (passepartout--read ":|odd Name|")) ":odd Name")))

(ert-deftest passepartout-test-refuses-what-is-only-lisp ()
  (dolist (text '("#.(kill-emacs)" "(a . b)" "#s(hash-table data (a 1))" "#[(x) \"\" [] 1]"
                  "#(\"x\" 0 1 (keymap 1))" "#1=(#1#)" "`(,x)" "cl:car" "(" ")" "\"" ":|x" "; x"
                  "() ()" "" "..."))
    (should (equal (list text 'refused) (list text (passepartout-test-read text)))))
  (should (eq 'refused (passepartout-test-read
                        (concat (make-string 66 ?\() (make-string 66 ?\))))))
  (should (eq 'refused (passepartout-test-read (make-string 100000 ?\()))))

(ert-deftest passepartout-test-hostile-names-are-in-no-table ()
  (passepartout--read "(:PASSEPARTOUT-TEST-NEVER-SEEN 1 PASSEPARTOUT-TEST-NEITHER)")
  (should-not (intern-soft (concat ":passepartout-test-" "never-seen")))
  (should-not (intern-soft (concat "passepartout-test-" "neither"))))

(ert-deftest passepartout-test-prints-what-it-reads ()
  (let ((value `(:text ,(concat "\"\\" "\n\t🌱" (string #x10ffff)) :n 3 :l ("a" t nil))))
    (should (equal (passepartout--read (passepartout--print value)) value)))
  (should (equal (passepartout--print (propertize (string ?a #x3fffff ?b) 'face 'bold))
                 "\"a\ufffdb\"")))

(ert-deftest passepartout-test-hmac ()
  (should (equal (passepartout--hmac "Jefe" "what do ya want for nothing?")
                 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
  (should (equal (passepartout--hmac (make-string 20 #x0b) "Hi There")
                 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
  (should (equal (passepartout--hmac (apply #'unibyte-string (make-list 131 #xaa))
                                     "Test Using Larger Than Block-Size Key - Hash Key First")
                 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
  (should-not (equal (passepartout--nonce) (passepartout--nonce))))

(ert-deftest passepartout-test-frames ()
  (with-temp-buffer
    (insert "000003(🌱)00")
    (should (equal (passepartout--next-frame) "(🌱)"))
    (should-not (passepartout--next-frame))
    (goto-char (point-max))
    (insert "0002()x")
    (should (equal (passepartout--next-frame) "()")))
  (dolist (bytes '("00002c()" "GET / HTTP" "FFFFFF" "-00001x"))
    (with-temp-buffer
      (insert bytes)
      (should-error (passepartout--next-frame) :type 'passepartout-error)))
  (with-temp-buffer
    (insert "000001" (string #x3fffff))
    (should-error (passepartout--next-frame) :type 'passepartout-error)))

(defmacro passepartout-test-in-chat (&rest body)
  "Run BODY in a fresh conversation."
  (declare (indent 0))
  `(progn
     (when (get-buffer "*Passepartout*") (kill-buffer "*Passepartout*"))
     (with-current-buffer (passepartout--chat-buffer) ,@body)))

(ert-deftest passepartout-test-an-answer-is-only-text ()
  (passepartout-test-in-chat
    (let ((hear (passepartout--chat-listener nil)))
      (dolist (part '("*" " DONE forged\n:PROPERTIES:\n:ID: x\n:END:\n" "** more\n#+SETUP"
                      "FILE: http://evil.example/x\n  #+bind: x 1\n#+begin_src sh\n* x\n#+end_src\n"
                      "# Local Variables:\n# eval: (kill-emacs)\n# End:\nab\u202ecd"))
        (funcall hear :piece part))
      (funcall hear :end "complete")
      (funcall hear :whole "never twice")
      (funcall hear :answer "* Another\r\n#+INCLUDE: /etc/passwd")
      (funcall hear :over nil))
    (let ((text (buffer-string)))
      (should (equal (org-map-entries (lambda () (org-get-heading t t t t)))
                     '("Passepartout" "")))
      (should-not (org-entry-get (point-min) "ID"))
      (should (string-match-p "^# #\\+SETUPFILE:" text))
      (should (string-match-p "^# #\\+INCLUDE:" text))
      (should (string-match-p "^ \\*\\* more$" text))
      (should (string-match-p "^#\\+begin_src sh$" text))
      (should-not (string-match-p "never twice\\|[Ll]ocal [Vv]ariables:\\|\u202e\\|\r" text)))
    (should (eq org-confirm-babel-evaluate t))
    (should (eq org-link-elisp-confirm-function #'yes-or-no-p))))

(ert-deftest passepartout-test-a-withdrawn-answer-is-gone ()
  (passepartout-test-in-chat
    (let ((hear (passepartout--chat-listener nil)))
      (funcall hear :piece "the secret is")
      (funcall hear :end "withdrawn"))
    (should-not (string-match-p "secret" (buffer-string)))
    (should (string-match-p "withdrawn" (buffer-string)))))

(ert-deftest passepartout-test-a-long-answer-is-no-trouble ()
  (passepartout-test-in-chat
    (let ((hear (passepartout--chat-listener nil)))
      (funcall hear :answer (make-string 200000 ?語))
      (should (> (buffer-size) 200000)))))

(ert-deftest passepartout-test-only-notes-are-jumped-to ()
  (let* ((folder (make-temp-file "passepartout-" t))
         (passepartout--memex (file-name-as-directory (file-truename (concat folder "/memex")))))
    (make-directory passepartout--memex)
    (dolist (file '("../out.org" "in.org" "in.txt"))
      (write-region "* x\n" nil (expand-file-name file passepartout--memex) nil 'quiet))
    (make-symbolic-link "../out.org" (expand-file-name "bent.org" passepartout--memex))
    (should (passepartout--note-path "in.org"))
    (should (passepartout--note-path "./in.org"))
    (dolist (name (list "in.txt" "../out.org" "bent.org" "/etc/passwd" "~/x.org" "none.org"
                        "/ssh:evil.example:/x.org" "ssh:evil.example:/x.org" "in.org\0" nil 7
                        (expand-file-name "in.org" passepartout--memex)))
      (should-not (passepartout--note-path name)))
    (with-temp-buffer
      (insert "  in.org:1  bent.org:1 /etc/passwd.org:1 none.org:2\n")
      (passepartout--link-places (point-min) (point-max))
      (should (equal (mapcar (lambda (button) (button-get button 'passepartout-name))
                             (mapcar (lambda (at) (button-at at)) '(3)))
                     '("in.org")))
      (should-not (next-button 10)))
    (delete-directory folder t)))

(defmacro passepartout-test-with-note (&rest body)
  "Run BODY with a memex of one note, which is in the variable `note'."
  (declare (indent 0))
  `(let* ((folder (file-name-as-directory (file-truename (make-temp-file "passepartout-" t))))
          (passepartout--memex folder)
          (note (expand-file-name "a.org" folder)))
     (write-region "* One\n** Two\ntext\n* Three" nil note nil 'quiet)
     (write-region "* WAITING x\n" nil (concat folder "flight-plans.org") nil 'quiet)
     (unwind-protect (progn ,@body)
       (when (find-buffer-visiting note)
         (with-current-buffer (find-buffer-visiting note) (set-buffer-modified-p nil))
         (kill-buffer (find-buffer-visiting note)))
       (delete-directory folder t))))

(ert-deftest passepartout-test-deeds ()
  (passepartout-test-with-note
    (passepartout--do '(:action :insert-node :file "a.org" :under "One" :title "New\n* forged"
                                :text "* also\nbody"))
    (passepartout--do '(:action :insert-at-end :file "a.org" :text "last"))
    (with-current-buffer (find-buffer-visiting note)
      (should (equal (buffer-string)
                     "* One\n** Two\ntext\n** New * forged\n * also\nbody\n* Three\nlast\n"))
      (should (buffer-modified-p)))
    (should (equal (passepartout--do '(:action :show :file "a.org" :line 2)) "shown"))
    (passepartout-test-in-chat
      (passepartout--do '(:action :insert-at-end :text "into the chat"))
      (should (string-match-p "into the chat" (buffer-string))))))

(ert-deftest passepartout-test-deeds-that-are-refused ()
  (passepartout-test-with-note
    (dolist (payload '((:action :insert-at-end :file "../a.org" :text "x")
                       (:action :insert-at-end :file "flight-plans.org" :text "x")
                       (:action :insert-node :file "./Flight-plans.org" :title "x")
                       (:action :insert-node :file "a.org" :under "None" :title "x")
                       (:action :insert-node :file "a.org" :title 7)
                       (:action :show :file "/etc/passwd")
                       (:action :kill-emacs)
                       (:action nil)
                       (:action :message :text (:a 1))))
      (should-error (passepartout--do payload)))))

(ert-deftest passepartout-test-lisp-needs-a-yes ()
  (defvar passepartout-test-ran)
  (let ((payload '(:action :eval :code "(setq passepartout-test-ran (+ 1 2))"))
        (passepartout-test-ran nil))
    (cl-letf (((symbol-function 'yes-or-no-p) (lambda (_) nil)))
      (should-error (passepartout--do payload)))
    (let ((passepartout-eval nil)) (should-error (passepartout--do payload)))
    (cl-letf (((symbol-function 'yes-or-no-p) (lambda (_) t)))
      (dolist (code '("#[0 \"\" [] 1]" "1 2" "#1=(1 #1#)" "(" ""))
        (should-error (passepartout--do `(:action :eval :code ,code))))
      (should-not passepartout-test-ran)
      (should (equal (passepartout--do payload) "3")))
    (should (equal passepartout-test-ran 3))))

(defun passepartout-test-wait (condition)
  "Wait until CONDITION, a function, returns non-nil; return that."
  (let ((until (+ (float-time) 20)) (value nil))
    (while (not (setq value (funcall condition)))
      (when (> (float-time) until) (error "Waited for too long"))
      (accept-process-output nil 0.02))
    value))

(defun passepartout-test-ask (text)
  "Say TEXT and return what is answered."
  (let ((said nil) (over nil))
    (passepartout--say text (lambda (kind words)
                              (when (memq kind '(:answer :whole)) (push words said))
                              (when (memq kind '(:over :lost)) (setq over t))))
    (passepartout-test-wait (lambda () over))
    (string-join (nreverse said) "\n")))

(defun passepartout-test-path (name)
  "Return the path of the note NAME."
  (expand-file-name name passepartout--memex))

(defun passepartout-test-file (name)
  "Return the text of the note NAME."
  (with-temp-buffer
    (insert-file-contents (passepartout-test-path name))
    (buffer-string)))

(ert-deftest passepartout-test-live-both-doors ()
  (dolist (door '(socket port))
    (passepartout-disconnect)
    (let ((passepartout-door door)
          (text (concat (make-string 30000 ?ü) "🌱\"\\\n" (make-string 30000 ?語)))
          (heard nil))
      (passepartout-connect)
      (should (eq (passepartout--is-local) (eq door 'socket)))
      (advice-add 'passepartout--hear :before (lambda (message) (push message heard))
                  '((name . passepartout-test)))
      (passepartout--send `(:type :request :payload (:action :ping :text ,text)))
      (passepartout-test-wait (lambda () heard))
      (advice-remove 'passepartout--hear 'passepartout-test)
      (should (eq (passepartout--field (car heard) :action) :pong))
      (should (equal (passepartout--text (car heard) :text) text)))))

(ert-deftest passepartout-test-live-a-wrong-token-is-told ()
  (passepartout-disconnect)
  (let ((passepartout-door 'port))
    (cl-letf (((symbol-function 'passepartout--token) (lambda () (make-string 64 ?0))))
      (should-error (passepartout-connect)))
    (should-not passepartout--wanted)
    (passepartout-connect)
    (should (eq passepartout--stage 'ready))))

(defun passepartout-test-forged (hello answer)
  "Connect to a server that says HELLO and then ANSWER; return what it was sent."
  (passepartout-disconnect)
  (let* ((sent "")
         (frame (lambda (text) (format "%06X%s" (length text) text)))
         (server (make-network-process
                  :name "forged" :server t :host "127.0.0.1" :family 'ipv4 :service t :noquery t
                  :log (lambda (_ client _) (process-send-string client (funcall frame hello)))
                  :filter (lambda (client text)
                            (setq sent (concat sent text))
                            (process-send-string client (funcall frame answer))))))
    (unwind-protect
        (cl-letf (((symbol-function 'passepartout--announcement)
                   (lambda () `(("port" . ,(process-contact server :service))
                                ("memex" . ,temporary-file-directory)))))
          (should-error (passepartout-connect))
          sent)
      (delete-process server))))

(ert-deftest passepartout-test-live-a-forged-daemon-hears-nothing ()
  (let ((hello (concat "(:TYPE :EVENT :PAYLOAD (:ACTION :HANDSHAKE :VERSION \"1\" :PROTOCOL (1)"
                       " :NONCE \"0123456789abcdef0123456789abcdef\" :AUTHENTICATION \"%s\"))"))
        (token (passepartout--token)))
    (should (equal "" (passepartout-test-forged (format hello "none") "()")))
    (dolist (answer '("(:TYPE :EVENT :PAYLOAD (:ACTION :AUTHENTICATED :SESSION-ID \"x\"))"
                      "(:TYPE :EVENT :PAYLOAD (:ACTION :AUTHENTICATED :SESSION-ID \"x\" :PROOF \"y\"))"
                      "7" "#.(kill-emacs)"))
      (let ((sent (passepartout-test-forged (format hello "token") answer)))
        (should-not (string-match-p (regexp-quote token) sent))
        (should-not (eq passepartout--stage 'ready))))))

(ert-deftest passepartout-test-live-conversation ()
  (passepartout-disconnect)
  (passepartout-test-in-chat
    (passepartout-chat)
    (goto-char (point-max))
    (insert "find tide tables")
    (passepartout-chat-send)
    (insert "help")
    (passepartout-chat-send)
    (passepartout-test-wait (lambda () (null passepartout--turns)))
    (should (equal (org-map-entries (lambda () (org-get-heading t t t t)))
                   '("find tide tables" "help" "")))
    (should (string-match-p "tide tables\n\\[.*\\]\n.*“tide tables”" (buffer-string)))
    (goto-char (point-min))
    (search-forward "inbox.org:4")
    (push-button (match-beginning 0))
    (should (equal (buffer-file-name) (passepartout-test-path "inbox.org")))
    (should (looking-at-p "\\* TODO Ask Tomasz"))
    (should (equal (passepartout--lighter) " Pass"))))

(ert-deftest passepartout-test-live-capture-agenda-search ()
  (passepartout-capture "Brühe 🍲\nkochen tomorrow")
  (passepartout-test-wait (lambda () (null passepartout--turns)))
  (should (string-match-p "^\\* TODO Brühe 🍲 kochen$" (passepartout-test-file "inbox.org")))
  (passepartout-agenda)
  (passepartout-test-wait (lambda () (get-buffer "*Passepartout agenda*")))
  (with-current-buffer "*Passepartout agenda*"
    (should (search-forward "Brühe 🍲 kochen" nil t))
    (should (equal (button-get (next-button (point)) 'passepartout-name) "inbox.org")))
  (passepartout-search "sourdough starter")
  (passepartout-test-wait (lambda () (get-buffer "*Passepartout search*")))
  (with-current-buffer "*Passepartout search*"
    (should (next-button (point-min) t)))
  (passepartout-why)
  (passepartout-test-wait (lambda () (get-buffer "*Passepartout why*"))))

(ert-deftest passepartout-test-live-focus ()
  (passepartout-connect)
  (let ((sent nil))
    (cl-letf* ((send (symbol-function 'passepartout--send))
               ((symbol-function 'passepartout--send)
                (lambda (message) (push (plist-get message :payload) sent) (funcall send message))))
      (passepartout-focus-mode 1)
      (should passepartout--focus-timer)
      (with-current-buffer (find-file-noselect (passepartout-test-path "recipes/bread.org"))
        (goto-char (point-min))
        (forward-line 29)
        (passepartout--tell-focus)
        (passepartout--tell-focus)
        (should (equal sent '((:sensor :point-update :file "recipes/bread.org" :line 30))))
        (goto-char (point-max))
        (insert "* Rye\n")
        (save-buffer))
      (with-temp-buffer (org-mode) (passepartout--tell-focus))
      (passepartout-focus-mode -1)
      (should-not (memq #'passepartout--tell-saved after-save-hook))
      (should (equal (mapcar (lambda (payload) (plist-get payload :sensor)) sent)
                     '(:buffer-update :point-update))))
    (passepartout-test-wait (lambda () (null passepartout--turns)))))

(ert-deftest passepartout-test-live-follow ()
  (with-temp-file (passepartout-test-path "scoped.org")
    (insert "#+property: scope roof\n* Tiles\n"))
  (passepartout-test-ask "push-context roof")
  (should (equal (passepartout--header) " in project:roof"))
  (passepartout-test-ask "pop-context")
  (should (equal (passepartout--header) " in memex"))
  (passepartout-follow nil)
  (passepartout-test-wait (lambda () (null passepartout--turns)))
  (with-current-buffer (find-file-noselect (passepartout-test-path "scoped.org"))
    (goto-char (point-max))
    (setq passepartout--focus nil)
    (passepartout--tell-focus)
    (passepartout-test-wait (lambda () (equal passepartout--scope "project:roof"))))
  (passepartout-follow t)
  (passepartout-test-wait (lambda () (null passepartout--turns)))
  (passepartout-test-ask "pop-context")
  (passepartout-focus-mode -1)
  (let ((passepartout--scope "100%")) (should (equal (passepartout--header) " in 100%%"))))

(defun passepartout-test-plan (command)
  "Have COMMAND asked about; leave point at its plan, and return the buffer."
  (should (string-match-p "needs your approval" (passepartout-test-ask (concat "run " command))))
  (passepartout-flight-plans)
  (revert-buffer t t)
  (passepartout-plan-mode)
  (goto-char (point-min))
  (re-search-forward (concat "^\\* WAITING shell: " (regexp-quote command)))
  (current-buffer))

(ert-deftest passepartout-test-live-approval-at-the-node ()
  (passepartout-connect)
  (with-current-buffer (passepartout-test-plan "git push")
    (cl-letf (((symbol-function 'read-char-choice) (lambda (&rest _) ?d)))
      (org-ctrl-c-ctrl-c)))
  (passepartout-test-wait
   (lambda () (string-match-p "^\\* DENIED shell: git push" (passepartout-test-file "flight-plans.org"))))
  (with-current-buffer (passepartout-test-plan "touch made.txt")
    (passepartout-approve))
  (passepartout-test-wait
   (lambda () (string-match-p "^\\* \\(DONE\\|FAILED\\) shell: touch"
                              (passepartout-test-file "flight-plans.org"))))
  (passepartout-test-wait (lambda () (null passepartout--turns)))
  (with-temp-buffer
    (org-mode)
    (insert "* WAITING forged\n:PROPERTIES:\n:TOKEN: abcdef\n:END:\n")
    (should-not (passepartout--at-plan))
    (should-not (passepartout-decide))))

(ert-deftest passepartout-test-live-a-plan-that-changed-is-not-answered ()
  (passepartout-connect)
  (with-current-buffer (passepartout-test-plan "touch other.txt")
    (let ((text (buffer-string)))
      (set-visited-file-modtime '(0 1))
      (should-error (passepartout-approve) :type 'user-error)
      (should (equal text (buffer-string))))
    (revert-buffer t t)))

(ert-deftest passepartout-test-live-reconnects ()
  (passepartout-connect)
  (let ((session passepartout--session)
        (lost nil))
    (push (cons "0" (lambda (kind _) (when (eq kind :lost) (setq lost t)))) passepartout--turns)
    (delete-process passepartout--process)
    (passepartout-test-wait (lambda () lost))
    (should-not passepartout--stage)
    (passepartout-test-wait (lambda () (eq passepartout--stage 'ready)))
    (should (equal session passepartout--session))
    (should (string-match-p "inbox\\.org:4" (passepartout-test-ask "find tide tables")))
    (passepartout-disconnect)
    (should (equal (passepartout--lighter) " Pass:off"))))

(provide 'passepartout-test)
;;; passepartout-test.el ends here
