;;; passepartout.el --- Talk to the Passepartout daemon  -*- lexical-binding: t; -*-

;; Author: The authors of Passepartout
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: outlines, comm
;; URL: https://example.org/passepartout
;; SPDX-License-Identifier: AGPL-3.0-or-later

;;; Commentary:

;; A conversation in an Org buffer, with a personal agent that lives in
;; Org files.  `passepartout-chat' begins one; `passepartout-command-map'
;; has the other commands and waits to be bound to a key.

;;; Code:

(require 'json)
(require 'org)
(require 'seq)
(require 'subr-x)

(defgroup passepartout nil
  "A personal agent that lives in your Org files."
  :group 'org
  :prefix "passepartout-")

(defcustom passepartout-state-directory nil
  "Where the daemon announces itself; nil for the XDG state directory."
  :type '(choice (const :tag "The usual place" nil) directory))

(defcustom passepartout-door 'any
  "Which way to take to the daemon."
  :type '(choice (const :tag "The socket, else the port" any)
                 (const :tag "The Unix socket" socket)
                 (const :tag "The TCP port" port)))

(defcustom passepartout-seal t
  "Whether every message on the TCP port is sealed against a program in between.
The Unix socket needs no seal, and has none."
  :type 'boolean)

(defcustom passepartout-focus-delay 0.7
  "Seconds of idleness before the daemon is told where point is."
  :type 'number)

(defcustom passepartout-eval 'ask
  "What to do with Lisp that the owner has approved in the daemon.
The symbol `ask' shows it here and asks once more; nil never runs any."
  :type '(choice (const :tag "Show it and ask" ask) (const :tag "Never" nil)))

(define-error 'passepartout-error "Passepartout")

(defvar passepartout--process nil "The connection, or nil.")
(defvar passepartout--stage nil "One of nil, `greeting', `proving' and `ready'.")
(defvar passepartout--session nil "The session to go on with after a connection was lost.")
(defvar passepartout--resumed nil "The session that the owner has picked, or nil.")
(defvar passepartout--memex nil "The folder of notes, with a slash at its end.")
(defvar passepartout--scope nil "The context in which the last turn ended, or nil.")
(defvar passepartout--nonces nil "The daemon's nonce and ours, as a cons, while proving.")
(defvar passepartout--seals nil
  "The key of the seals and how many there were, as (KEY SENT HEARD), or nil.")
(defvar passepartout--turns nil "Names and functions of the turns under way, the oldest first.")
(defvar passepartout--past nil "The same of turns that are over, the youngest first.")
(defvar passepartout--count 0 "How many turns there have been.")
(defvar passepartout--retry nil "The timer that connects again, or nil.")
(defvar passepartout--delay 1 "Seconds until the next attempt to connect.")
(defvar passepartout--wanted nil "Non-nil while the owner wants to be connected.")

(defconst passepartout--depth-max 64 "How deep lists may nest.")

(defun passepartout--fail (format &rest arguments)
  "Signal a `passepartout-error' with FORMAT and ARGUMENTS."
  (signal 'passepartout-error (list (apply #'format format arguments))))

(defun passepartout--read (text)
  "Read the one list in TEXT, as the protocol has it.
Signal a `passepartout-error' for anything else."
  (with-temp-buffer
    (insert text)
    (goto-char (point-min))
    (skip-chars-forward " \t\n\f\r")
    (let ((value (passepartout--read-form 0)))
      (skip-chars-forward " \t\n\f\r")
      (unless (eobp) (passepartout--fail "Expected the end after one form"))
      value)))

(defun passepartout--read-form (depth)
  "Read the form at point, which is inside DEPTH lists."
  (when (> depth passepartout--depth-max) (passepartout--fail "Too many lists in lists"))
  (pcase (char-after)
    ('nil (passepartout--fail "Expected a form, found the end"))
    (?\( (forward-char) (passepartout--read-list depth))
    (?\" (forward-char) (passepartout--read-string))
    (?' (forward-char)
        (skip-chars-forward " \t\n\f\r")
        (list 'quote (passepartout--read-form (1+ depth))))
    ((or ?\) ?# ?\; ?` ?,) (passepartout--fail "Expected data, found %c" (char-after)))
    (_ (passepartout--read-atom))))

(defun passepartout--read-list (depth)
  "Read what is left of a list behind its parenthesis, inside DEPTH others."
  (let ((items nil))
    (while (progn (skip-chars-forward " \t\n\f\r") (not (eq (char-after) ?\))))
      (when (eobp) (passepartout--fail "Expected a closing parenthesis"))
      (push (passepartout--read-form (1+ depth)) items))
    (forward-char)
    (nreverse items)))

(defun passepartout--read-string ()
  "Read what is left of a string behind its quotation mark."
  (let ((parts nil)
        (from (point)))
    (while (progn (skip-chars-forward "^\"\\\\") (eq (char-after) ?\\))
      (push (buffer-substring-no-properties from (point)) parts)
      (forward-char)
      (setq from (point))
      (unless (eobp) (forward-char)))
    (when (eobp) (passepartout--fail "Expected a closing quotation mark"))
    (push (buffer-substring-no-properties from (point)) parts)
    (forward-char)
    (apply #'concat (nreverse parts))))

(defun passepartout--read-name ()
  "Read a name at point; return it and whether it was escaped, as a cons."
  (let ((parts nil)
        (escaped nil))
    (while (not (or (eobp) (memq (char-after) (append " \t\n\f\r()\"';`," nil))))
      (let ((from (point)))
        (pcase (char-after)
          (?| (setq escaped t)
              (forward-char)
              (skip-chars-forward "^|")
              (when (eobp) (passepartout--fail "Expected a closing bar"))
              (push (buffer-substring-no-properties (1+ from) (point)) parts)
              (forward-char))
          (?\\ (setq escaped t)
               (forward-char)
               (when (eobp) (passepartout--fail "Expected a character"))
               (push (string (char-after)) parts)
               (forward-char))
          (_ (skip-chars-forward "^ \t\n\f\r()\"';`,|\\\\")
             (push (downcase (buffer-substring-no-properties from (point))) parts)))))
    (cons (apply #'concat (nreverse parts)) escaped)))

(defun passepartout--read-atom ()
  "Read a keyword, a number, a truth value or another symbol at point."
  (let* ((is-keyword (eq (char-after) ?:))
         (read (progn (when is-keyword (forward-char)) (passepartout--read-name)))
         (name (car read))
         (case-fold-search nil))
    (cond
     (is-keyword (or (intern-soft (concat ":" name)) (make-symbol (concat ":" name))))
     ((cdr read) (make-symbol name))
     ((string-match-p ":\\|\\`\\.+\\'" name) (passepartout--fail "Expected data, found %s" name))
     ((string-match-p "\\`[+-]?[0-9]+\\.?\\'" name) (string-to-number name))
     ((string-match "\\`\\([+-]?[0-9]*\\.?[0-9]+\\)\\(?:[defls]\\([+-]?[0-9]+\\)\\)?\\'" name)
      (string-to-number (concat (match-string 1 name) "e" (or (match-string 2 name) "0"))))
     ((equal name "t") t)
     ((equal name "nil") nil)
     (t (make-symbol name)))))

(defconst passepartout--no-character "[^\0-\ud7ff\ue000-\U0010ffff]"
  "What Emacs takes for a character and Unicode does not.")

(defun passepartout--print (value)
  "Return VALUE as Common Lisp would print it."
  (cond
   ((null value) "NIL")
   ((eq value t) "T")
   ((keywordp value) (upcase (symbol-name value)))
   ((integerp value) (number-to-string value))
   ((stringp value)
    (let* ((plain (substring-no-properties value))
           (valid (replace-regexp-in-string passepartout--no-character "\ufffd" plain t t)))
      (concat "\"" (replace-regexp-in-string "[\"\\\\]" "\\\\\\&" valid t) "\"")))
   ((listp value) (concat "(" (mapconcat #'passepartout--print value " ") ")"))
   (t (passepartout--fail "Cannot send %S" (type-of value)))))

(defun passepartout--field (message key)
  "Return the field KEY of the payload of MESSAGE."
  (let ((payload (plist-get message :payload)))
    (and (listp payload) (plist-get payload key))))

(defun passepartout--text (message key)
  "Return the field KEY of MESSAGE if it is a string, else nil."
  (let ((value (passepartout--field message key)))
    (and (stringp value) value)))

(defconst passepartout--frame-max 1048576 "The most characters in a message.")
(defconst passepartout--seal-length 64 "How many characters a seal has.")

(defun passepartout--send (message)
  "Send MESSAGE, a property list."
  (unless (process-live-p passepartout--process) (user-error "Not connected"))
  (let ((text (passepartout--print message)))
    (when (> (length text) (- passepartout--frame-max passepartout--seal-length))
      (user-error "That is too long to send: %d characters" (length text)))
    (let ((sealed (concat (passepartout--next-seal "to-daemon" text) text)))
      (process-send-string passepartout--process (format "%06X%s" (length sealed) sealed)))))

(defun passepartout--next-frame ()
  "Take the next message out of the current buffer, or return nil.
Signal a `passepartout-error' when what is there cannot be a message."
  (when (>= (buffer-size) 6)
    (let* ((case-fold-search nil)
           (header (buffer-substring-no-properties 1 7))
           (length (if (string-match-p "\\`[0-9A-F]\\{6\\}\\'" header)
                       (string-to-number header 16)
                     (passepartout--fail "Expected a length"))))
      (when (> length passepartout--frame-max) (passepartout--fail "Too long a message"))
      (when (>= (buffer-size) (+ 6 length))
        (let ((text (buffer-substring-no-properties 7 (+ 7 length))))
          (delete-region 1 (+ 7 length))
          (when (string-match-p passepartout--no-character text)
            (passepartout--fail "Expected UTF-8"))
          text)))))

(defun passepartout--filter (process output)
  "Take OUTPUT from PROCESS, and hear every message that it completes."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (goto-char (point-max))
      (insert output))
    (condition-case fault
        (let (text)
          (while (and (eq process passepartout--process)
                      (buffer-live-p (process-buffer process))
                      (setq text (with-current-buffer (process-buffer process)
                                   (passepartout--next-frame))))
            (passepartout--hear (passepartout--read (passepartout--unseal text)))))
      (passepartout-error
       (message "Passepartout: %s; the connection is closed" (cadr fault))
       (delete-process process)))))

(defun passepartout--state-file (name)
  "Return the path of the file NAME in the daemon's state directory."
  (let* ((given (getenv "XDG_STATE_HOME"))
         (home (if (and given (file-name-absolute-p given)) given "~/.local/state"))
         (folder (or passepartout-state-directory (expand-file-name "passepartout" home))))
    (expand-file-name name folder)))

(defun passepartout--announcement ()
  "Return the announcement of the daemon, as an alist.
Signal a `user-error' when there is none."
  (let ((file (passepartout--state-file "daemon.json")))
    (unless (file-readable-p file)
      (user-error "No daemon is running.  Start one: passepartout start --memex FOLDER"))
    (condition-case nil
        (let ((json-object-type 'alist) (json-key-type 'string))
          (json-read-file file))
      ((json-error end-of-file) (user-error "Cannot understand %s" file)))))

(defun passepartout--open ()
  "Open a connection to the daemon; return its process."
  (let* ((said (passepartout--announcement))
         (socket (cdr (assoc "socket" said)))
         (port (cdr (assoc "port" said)))
         (memex (cdr (assoc "memex" said)))
         (is-ours (and (stringp socket) (file-exists-p socket)
                       (eql (file-attribute-user-id (file-attributes socket)) (user-uid))))
         (place (if (and is-ours (not (eq passepartout-door 'port)))
                    (list :family 'local :service socket)
                  (when (eq passepartout-door 'socket) (user-error "There is no socket"))
                  (list :family 'ipv4 :host "127.0.0.1" :service port))))
    (unless (and (stringp memex) (integerp port)) (user-error "Cannot understand daemon.json"))
    (setq passepartout--memex (file-name-as-directory (file-truename memex)))
    (apply #'make-network-process
           :name "passepartout"
           :buffer (generate-new-buffer " *passepartout-wire*")
           :coding '(utf-8-unix . utf-8-unix)
           :filter #'passepartout--filter
           :sentinel #'passepartout--sentinel
           :noquery t
           place)))

(defun passepartout--hmac (key text)
  "Return HMAC-SHA-256 (RFC 2104) of TEXT under KEY, in lower-case hex."
  (let* ((bytes (encode-coding-string key 'utf-8-unix))
         (short (if (> (length bytes) 64) (secure-hash 'sha256 bytes nil nil t) bytes))
         (padded (concat short (make-string (- 64 (length short)) 0)))
         (with (lambda (mask)
                 (apply #'unibyte-string (mapcar (lambda (byte) (logxor byte mask)) padded))))
         (inner (secure-hash 'sha256
                             (concat (funcall with #x36) (encode-coding-string text 'utf-8-unix))
                             nil nil t)))
    (secure-hash 'sha256 (concat (funcall with #x5c) inner))))

(defun passepartout--nonce ()
  "Return 32 hex digits that have not been there before."
  (random t)
  (let ((numbers (list (random) (random) (random) (random) (float-time) (emacs-pid))))
    (substring (secure-hash 'sha256 (prin1-to-string numbers)) 0 32)))

(defun passepartout--token ()
  "Return the token, which only this user can read."
  (with-temp-buffer
    (insert-file-contents-literally (passepartout--state-file "token"))
    (string-trim (buffer-string))))

(defun passepartout--is-local ()
  "Return non-nil when the connection is the Unix socket."
  (eq (process-contact passepartout--process :family) 'local))

(defun passepartout--answer-hello (message)
  "Answer MESSAGE, the daemon's hello, with who we are and the proof."
  (let ((theirs (passepartout--text message :nonce))
        (open (equal (passepartout--field message :authentication) "none"))
        (versions (passepartout--field message :protocol)))
    (unless (and (eq (passepartout--field message :action) :handshake) theirs)
      (passepartout--fail "Expected the hello of a daemon"))
    (unless (and (listp versions) (memq 1 versions))
      (passepartout--fail "The daemon speaks another version of the protocol"))
    (when (and open (not (passepartout--is-local)))
      (passepartout--fail "Expected a daemon that asks for a proof"))
    (setq passepartout--nonces (and (not open) (cons theirs (passepartout--nonce)))
          passepartout--stage 'proving)
    (passepartout--send
     `(:type :request :meta (:source :emacs)
       :payload (:action :authenticate :protocol 1 :capabilities ("stream-chunk")
                 ,@(and passepartout--session (list :session-id passepartout--session))
                 ,@(and (not open)
                        (list :proof (passepartout--hmac (passepartout--token) theirs)
                              :nonce (cdr passepartout--nonces)))
                 ,@(and (passepartout--wants-seals) '(:sealed t)))))))

(defun passepartout--admitted (message)
  "Take MESSAGE for the word of admission, if it is one."
  (let ((nonces passepartout--nonces))
    (unless (eq (passepartout--field message :action) :authenticated)
      (passepartout--fail "%s" (or (passepartout--text message :text) "Not let in")))
    (when nonces
      (let ((text (format "daemon:%s:%s" (car nonces) (cdr nonces))))
        (unless (equal (passepartout--text message :proof)
                       (passepartout--hmac (passepartout--token) text))
          (passepartout--fail "What answers is not the daemon"))))
    (when (passepartout--wants-seals)
      (unless (eq (passepartout--field message :sealed) t)
        (passepartout--fail "The seals were refused on the way"))
      (let ((text (format "seal:%s:%s" (car nonces) (cdr nonces))))
        (setq passepartout--seals (list (passepartout--hmac (passepartout--token) text) 0 0))))
    (setq passepartout--session (passepartout--text message :session-id)
          passepartout--stage 'ready
          passepartout--delay 1)
    (when passepartout--resumed (passepartout--continue passepartout--resumed))
    (force-mode-line-update t)))

(defun passepartout--wants-seals ()
  "Return non-nil when the messages of this connection are to be sealed."
  (and passepartout-seal passepartout--nonces t))

(defun passepartout--next-seal (direction text)
  "Return the seal of TEXT, the next message in DIRECTION; empty without seals."
  (if (null passepartout--seals)
      ""
    (let* ((place (if (equal direction "to-daemon") 1 2))
           (count (nth place passepartout--seals)))
      (setf (nth place passepartout--seals) (1+ count))
      (passepartout--hmac (car passepartout--seals) (format "%s:%d:%s" direction count text)))))

(defun passepartout--unseal (text)
  "Return TEXT, a message from the daemon, without its seal.
Signal a `passepartout-error' when the seal is not that of the next message."
  (if (null passepartout--seals)
      text
    (let* ((length (min passepartout--seal-length (length text)))
           (message (substring text length)))
      (unless (equal (substring text 0 length)
                     (passepartout--next-seal "to-client" message))
        (passepartout--fail "Expected the seal of the next message"))
      message)))

(defun passepartout--sentinel (process _event)
  "Put away a PROCESS that has ended, and try again if it is wanted."
  (unless (process-live-p process)
    (when (buffer-live-p (process-buffer process)) (kill-buffer (process-buffer process)))
    (when (eq process passepartout--process)
      (let ((turns passepartout--turns))
        (setq passepartout--process nil
              passepartout--stage nil
              passepartout--seals nil
              passepartout--turns nil)
        (dolist (turn turns) (funcall (cdr turn) :lost nil)))
      (force-mode-line-update t)
      (when passepartout--wanted (passepartout--retry-later)))))

(defun passepartout--retry-later ()
  "Connect again after a while."
  (when passepartout--retry (cancel-timer passepartout--retry))
  (setq passepartout--retry (run-at-time passepartout--delay nil #'passepartout--try-again)
        passepartout--delay (min 60 (* 2 passepartout--delay))))

(defun passepartout--try-again ()
  "Connect, and if that fails try again later."
  (setq passepartout--retry nil)
  (when (and passepartout--wanted (not (process-live-p passepartout--process)))
    (condition-case nil
        (passepartout--begin)
      (error (passepartout--retry-later)))))

(defun passepartout--begin ()
  "Open the connection and wait for the hello in the background."
  (setq passepartout--stage 'greeting
        passepartout--seals nil
        passepartout--nonces nil
        passepartout--process (passepartout--open)))

;;;###autoload
(defun passepartout-connect ()
  "Connect to the daemon, unless this is so already."
  (interactive)
  (unless (eq passepartout--stage 'ready)
    (unless (process-live-p passepartout--process) (passepartout--begin))
    (let ((process passepartout--process)
          (until (+ (float-time) 5)))
      (while (and (process-live-p process)
                  (not (eq passepartout--stage 'ready))
                  (< (float-time) until))
        (accept-process-output process 0.1))
      (unless (eq passepartout--stage 'ready)
        (delete-process process)
        (user-error "The daemon did not let us in")))
    (setq passepartout--wanted t))
  (when (called-interactively-p 'interactive) (passepartout-status)))

(defun passepartout-disconnect ()
  "Close the connection and do not open it again."
  (interactive)
  (setq passepartout--wanted nil
        passepartout--session nil)
  (when passepartout--retry (cancel-timer passepartout--retry))
  (when (process-live-p passepartout--process) (delete-process passepartout--process)))

(defun passepartout--hear (message)
  "Take MESSAGE from the daemon to where it belongs."
  (pcase passepartout--stage
    ('greeting (passepartout--answer-hello message))
    ('proving (passepartout--admitted message))
    (_ (let* ((text (passepartout--text message :text))
              (action (passepartout--field message :action))
              (name (passepartout--turn-of message))
              (turn (or (cdr (assoc name passepartout--turns))
                        (cdr (assoc name passepartout--past))
                        (passepartout--chat-listener nil))))
         (pcase (plist-get message :type)
           (:stream-chunk
            (funcall turn (if (equal text "") :end :piece)
                     (if (equal text "") (passepartout--field message :ended) text)))
           (:response
            (when text
              (funcall turn (if (passepartout--field message :streamed) :whole :answer) text)))
           (:request (run-at-time 0 nil #'passepartout--obey (plist-get message :payload)))
           (:status
            (pcase action
              (:turn-end (setq passepartout--scope (or (passepartout--text message :scope) "memex"))
                         (passepartout--turn-over name)
                         (funcall turn :over nil))
              (:health (passepartout--show-health message))
              (:session-list (run-at-time 0 nil #'passepartout--pick-session message))
              (:session-continue (passepartout--continued message))
              (:session-talk (passepartout--show-said message t))
              (:session-said (passepartout--show-said message nil))
              ((or :notice :error) (when text (funcall turn :notice text))))))))))

(defun passepartout--turn-of (message)
  "Return the name of the turn that MESSAGE belongs to, or nil."
  (let ((meta (plist-get message :meta)))
    (and (listp meta) (plist-get meta :turn))))

(defun passepartout--turn-over (name)
  "Put away the turn NAME."
  (let ((turn (assoc name passepartout--turns)))
    (when turn
      (setq passepartout--turns (delq turn passepartout--turns))
      (push turn passepartout--past)
      (when (> (length passepartout--past) 50) (setcdr (nthcdr 49 passepartout--past) nil)))))

(defun passepartout--event (turn &rest payload)
  "Send an event with PAYLOAD; TURN is told what is said to it."
  (let ((name (number-to-string (setq passepartout--count (1+ passepartout--count)))))
    (passepartout--send
     `(:type :event :meta (:source :emacs :turn ,name) :payload ,payload))
    (setq passepartout--turns (append passepartout--turns (list (cons name turn)))))
  (force-mode-line-update t))

(defun passepartout--say (text turn)
  "Say TEXT to the daemon as the owner; TURN is told the answer."
  (passepartout-connect)
  (passepartout--event turn :sensor :user-input :text text))

(defun passepartout-interrupt ()
  "Stop the answer that is being written."
  (interactive)
  (passepartout--send
   '(:type :event :meta (:source :emacs) :payload (:sensor :interrupt))))

(defun passepartout--harmless (text at-line-start)
  "Return TEXT so that Org and Emacs take it for text.
AT-LINE-START is non-nil for the beginning of a line."
  (let* ((case-fold-search t)
         (plain (replace-regexp-in-string "\r\n?" "\n" (substring-no-properties text)))
         (straight (replace-regexp-in-string "[\u202a-\u202e\u2066-\u2069]" "\ufffd" plain t t))
         (flat (replace-regexp-in-string "\n\\*" "\n *" straight t t)))
    (if (and at-line-start (string-prefix-p "*" flat)) (concat " " flat) flat)))

(defun passepartout--disarm (begin end)
  "Make the lines between BEGIN and END harmless that are complete now."
  (let ((case-fold-search t)
        (last (copy-marker end)))
    (save-excursion
      (goto-char begin)
      (while (re-search-forward "^[ \t]*#\\+\\([^ \t\n:]+\\):" last t)
        (unless (member-ignore-case (match-string 1) '("caption" "name" "results" "tblfm"))
          (goto-char (match-beginning 0))
          (skip-chars-forward " \t")
          (insert "# ")
          (forward-line)))
      (goto-char begin)
      (while (re-search-forward "\\(local\\) \\(variables:\\)" last t)
        (replace-match "\\1\u00a0\\2"))
      (passepartout--link-places begin last)
      (set-marker last nil))))

(defun passepartout--note-path (name)
  "Return the absolute path of the note NAME, or nil when it is none of the memex."
  (let ((file-name-handler-alist nil))
    (when (and (stringp name) passepartout--memex
               (not (string-match-p "\\`[/~]\\|[\0\n]" name))
               (string-suffix-p ".org" name))
      (let ((path (file-truename (expand-file-name name passepartout--memex))))
        (and (string-prefix-p passepartout--memex path) (file-regular-p path) path)))))

(defun passepartout--note-buffer (path)
  "Return a buffer of the note at PATH, without obeying the note."
  (let ((enable-local-variables :safe)
        (enable-local-eval nil)
        (buffer (find-buffer-visiting path)))
    (when buffer
      (with-current-buffer buffer
        (unless (or (buffer-modified-p) (verify-visited-file-modtime))
          (revert-buffer t t t))))
    (or buffer (find-file-noselect path t))))

(defun passepartout-visit (name line)
  "Go to LINE of the note NAME, a path within the memex."
  (let ((path (or (passepartout--note-path name) (user-error "There is no note %s" name))))
    (pop-to-buffer (passepartout--note-buffer path))
    (widen)
    (goto-char (point-min))
    (forward-line (1- line))
    (when (and (derived-mode-p 'org-mode) (org-invisible-p)) (org-reveal))))

(define-button-type 'passepartout-place
  'help-echo "Go to this note"
  'follow-link t
  'action (lambda (button)
            (passepartout-visit (button-get button 'passepartout-name)
                                (button-get button 'passepartout-line))))

(defun passepartout--link-places (begin end)
  "Make a button of each place of a note between BEGIN and END."
  (save-excursion
    (goto-char begin)
    (while (re-search-forward "\\.org:\\([0-9]\\{1,9\\}\\)" end t)
      (let* ((line (string-to-number (match-string 1)))
             (after (match-end 0))
             (dot (match-beginning 0))
             (from (save-excursion
                     (goto-char dot)
                     (skip-chars-backward "^][ \t\n:\"()<>" (max begin (- dot 255)))
                     (point)))
             (name (buffer-substring-no-properties from (+ dot 4))))
        (when (passepartout--note-path name)
          (make-button from after
                       'type 'passepartout-place
                       'passepartout-name name
                       'passepartout-line line))))))

(defvar-local passepartout--prompt nil "Where the owner's next words begin.")

(defvar passepartout-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'passepartout-chat-send)
    (define-key map (kbd "C-c C-k") #'passepartout-interrupt)
    map)
  "Keys of the conversation.")

(define-derived-mode passepartout-chat-mode org-mode "Passepartout"
  "A conversation with the daemon.  \\[passepartout-chat-send] sends what is below the last star."
  (setq-local enable-local-variables nil)
  (setq-local org-confirm-babel-evaluate t)
  (setq-local org-link-descriptive nil)
  (setq-local org-link-elisp-confirm-function #'yes-or-no-p)
  (setq-local org-link-shell-confirm-function #'yes-or-no-p)
  (setq-local mode-line-process '((:eval (passepartout--lighter))))
  (setq-local header-line-format '((:eval (passepartout--header))))
  (visual-line-mode))

(defun passepartout--chat-buffer ()
  "Return the buffer of the conversation, with a place to write."
  (let ((buffer (get-buffer-create "*Passepartout*")))
    (with-current-buffer buffer
      (unless (derived-mode-p 'passepartout-chat-mode)
        (passepartout-chat-mode)
        (insert "* ")
        (setq passepartout--prompt (point-marker))))
    buffer))

;;;###autoload
(defun passepartout-chat ()
  "Talk to the daemon."
  (interactive)
  (passepartout-connect)
  (pop-to-buffer (passepartout--chat-buffer))
  (goto-char (point-max)))

(defun passepartout-chat-send ()
  "Send what stands below the last star."
  (interactive)
  (let ((text (string-trim (buffer-substring-no-properties passepartout--prompt (point-max)))))
    (when (equal text "") (user-error "Nothing to send"))
    (passepartout-connect)
    (delete-region passepartout--prompt (point-max))
    (passepartout--ask-in-chat text)))

(defun passepartout--ask-in-chat (text)
  "Say TEXT, and show it and what is answered in the conversation."
  (with-current-buffer (passepartout--chat-buffer)
    (let ((place (copy-marker (- passepartout--prompt 2)))
          (lines (split-string (passepartout--harmless text nil) "\n")))
      (save-excursion
        (goto-char place)
        (insert "* " (car lines) "\n" (format-time-string "[%F %a %R]") "\n")
        (when (cdr lines) (insert (string-join (cdr lines) "\n") "\n\n"))
        (set-marker place (point))
        (insert "\n"))
      (passepartout--say text (passepartout--chat-listener place)))))

(defun passepartout--chat-listener (place)
  "Return a listener that writes into the conversation at the marker PLACE.
When PLACE is nil, the first words begin a headline above the prompt."
  (let ((from nil)
        (seen nil))
    (lambda (kind text)
      (with-current-buffer (passepartout--chat-buffer)
        (unless (or place (memq kind '(:over :lost)))
          (setq place (passepartout--chat-headline)))
        (when place
          (save-excursion
            (goto-char place)
            (pcase kind
              (:piece (unless from (setq from (point-marker)))
                      (setq seen t)
                      (passepartout--chat-insert text))
              (:end (when from (passepartout--chat-ended from text))
                    (setq from nil))
              (:whole (unless seen (passepartout--chat-answer text))
                      (setq seen nil))
              (:answer (passepartout--chat-answer text))
              (:notice (passepartout--chat-answer (concat "(" text ")")))
              (:lost (passepartout--chat-answer "(The connection was lost.)")))
            (set-marker place (point))))
        (force-mode-line-update)))))

(defun passepartout--chat-headline ()
  "Begin a headline above the prompt, and return the place of its text."
  (save-excursion
    (goto-char (- passepartout--prompt 2))
    (insert "* Passepartout\n" (format-time-string "[%F %a %R]") "\n\n")
    (copy-marker (1- (point)))))

(defun passepartout--chat-insert (text)
  "Insert TEXT, a piece of an answer."
  (insert (passepartout--harmless text (bolp))))

(defun passepartout--chat-answer (text)
  "Insert TEXT, the whole of an answer."
  (let ((from (point-marker)))
    (passepartout--chat-insert (concat text "\n"))
    (passepartout--disarm from (point))
    (set-marker from nil)))

(defun passepartout--chat-ended (from how)
  "End the answer that began at FROM, in the way HOW."
  (if (equal how "withdrawn")
      (progn (delete-region from (point))
             (passepartout--chat-answer "(An answer was withdrawn: a gate objected to it.)"))
    (unless (bolp) (insert "\n"))
    (passepartout--disarm from (point))))

;;;###autoload
(defun passepartout-resume ()
  "Go on with an earlier conversation."
  (interactive)
  (passepartout-connect)
  (passepartout--event #'ignore :sensor :session-list))

(defun passepartout--continue (session)
  "Ask the daemon to go on with SESSION."
  (passepartout--event #'ignore :sensor :session-continue :session session))

(defun passepartout--pick-session (message)
  "Let the owner pick one of the sessions in MESSAGE."
  (let ((choices nil))
    (dolist (one (passepartout--plists message :sessions))
      (let ((id (plist-get one :id)) (title (plist-get one :title)))
        (when (and (stringp id) (stringp title))
          (push (cons (if (assoc title choices) (format "%s (%s)" title id) title) id) choices))))
    (if (null choices)
        (message "Nothing was said yet.")
      (let* ((names (nreverse choices))
             (name (completing-read "Go on with: " names nil t)))
        (passepartout--continue (cdr (assoc name names)))))))

(defun passepartout--plists (message key)
  "Return the property lists in the field KEY of MESSAGE."
  (let ((value (passepartout--field message key)))
    (and (listp value) (seq-filter #'consp value))))

(defun passepartout--continued (message)
  "Show the session named in MESSAGE, or that there is none."
  (let ((session (passepartout--text message :session)))
    (cond
     ((null session)
      (setq passepartout--resumed nil)
      (message "%s" (or (passepartout--text message :text) "There is no such session.")))
     ((not (equal session passepartout--resumed))
      (setq passepartout--resumed session)
      (passepartout--event #'ignore :sensor :session-talk)))))

(defun passepartout--show-said (message afresh)
  "Write what was said, as MESSAGE has it; AFRESH empties the buffer first."
  (with-current-buffer (passepartout--chat-buffer)
    (save-excursion
      (when afresh (delete-region (point-min) (- passepartout--prompt 2)))
      (goto-char (- passepartout--prompt 2))
      (dolist (line (passepartout--plists message :said))
        (let ((text (or (plist-get line :text) "")) (tool (plist-get line :tool)))
          (cond
           ((not (stringp text)))
           ((equal (plist-get line :speaker) "owner")
            (let ((lines (split-string (passepartout--harmless text nil) "\n")))
              (insert "* " (car lines) "\n")
              (when (cdr lines) (insert (string-join (cdr lines) "\n") "\n"))
              (insert "\n")))
           (tool (passepartout--chat-answer (downcase (format "(%s)" tool))))
           (t (passepartout--chat-answer text)))))
      (unless (bolp) (insert "\n")))
    (when afresh (pop-to-buffer (current-buffer)) (goto-char (point-max)))))

(defun passepartout--ask (question)
  "Ask QUESTION in the conversation, and show it."
  (passepartout-connect)
  (passepartout--ask-in-chat question)
  (display-buffer (passepartout--chat-buffer)))

(defun passepartout-send-region (begin end question)
  "Ask QUESTION about the text between BEGIN and END, which is sent with it."
  (interactive "r\nsAbout the region: ")
  (passepartout--ask
   (concat question "\n\n" (buffer-substring-no-properties begin end))))

(defun passepartout-send-buffer (question)
  "Ask QUESTION about this buffer: a note is named, other text is sent."
  (interactive "sAbout this buffer: ")
  (if (passepartout--note-name)
      (passepartout-send-subtree question)
    (passepartout-send-region (point-min) (point-max) question)))

(defun passepartout-send-subtree (question)
  "Ask QUESTION about the subtree at point, which is not sent but named."
  (interactive "sAbout this subtree: ")
  (let ((name (or (passepartout--note-name) (user-error "This is no note of the memex"))))
    (when (buffer-modified-p) (save-buffer))
    (passepartout-connect)
    (passepartout--event #'ignore :sensor :buffer-update :file name)
    (passepartout--event #'ignore :sensor :point-update :file name
                         :line (line-number-at-pos nil t))
    (passepartout--ask question)))

(defun passepartout--note-name ()
  "Return the path of this buffer's note within the memex, or nil."
  (let* ((file-name-handler-alist nil)
         (file (buffer-file-name (buffer-base-buffer)))
         (path (and file (file-truename file))))
    (and path passepartout--memex
         (string-prefix-p passepartout--memex path)
         (passepartout--note-path (substring path (length passepartout--memex)))
         (substring path (length passepartout--memex)))))

(defun passepartout-capture (text)
  "Put TEXT down in the inbox; a region is offered as what to begin with."
  (interactive
   (list (read-string "Capture: "
                      (and (use-region-p)
                           (replace-regexp-in-string
                            "[ \t\n]+" " "
                            (buffer-substring-no-properties (region-beginning) (region-end)))))))
  (passepartout--say (concat "capture " (replace-regexp-in-string "[\r\n]+" " " text))
                     #'passepartout--told))

(defun passepartout--told (kind text)
  "Show TEXT in the echo area if KIND is that of an answer."
  (when (memq kind '(:answer :whole :notice))
    (message "%s" (car (split-string text "\n")))))

(define-derived-mode passepartout-view-mode special-mode "Passepartout"
  "What the daemon answered, with buttons that jump to the notes."
  (setq truncate-lines t))

(defun passepartout--view (title sentence)
  "Say SENTENCE, and show the answer in a buffer called TITLE."
  (let ((texts nil))
    (passepartout--say
     sentence
     (lambda (kind text)
       (pcase kind
         ((or :answer :whole :notice) (push text texts))
         (:lost (push "The connection was lost." texts)))
       (when (memq kind '(:over :lost))
         (passepartout--show-view title sentence (string-join (nreverse texts) "\n\n")))))))

(defun passepartout--show-view (title sentence text)
  "Show TEXT, the answer to SENTENCE, in a buffer called TITLE."
  (with-current-buffer (get-buffer-create (format "*Passepartout %s*" title))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (passepartout-view-mode)
      (insert (passepartout--harmless text nil) "\n")
      (passepartout--link-places (point-min) (point-max))
      (goto-char (point-min)))
    (setq-local revert-buffer-function
                (lambda (&rest _) (passepartout--view title sentence)))
    (display-buffer (current-buffer))))

(defun passepartout-agenda ()
  "Show what is dated, late and due soon."
  (interactive)
  (passepartout--view "agenda" "agenda"))

(defun passepartout-search (words)
  "Show the notes that have WORDS."
  (interactive "sFind: ")
  (passepartout--view "search" (concat "find " words)))

(defun passepartout-why ()
  "Show why the last thing was decided as it was."
  (interactive)
  (passepartout--view "why" "why"))

(defvar passepartout--focus-timer nil "The timer that looks where point is.")
(defvar passepartout--focus nil "The place that was told last.")

;;;###autoload
(define-minor-mode passepartout-focus-mode
  "Tell the daemon which note point is in, and which notes are saved."
  :global t
  :lighter (:eval (passepartout--lighter))
  (when passepartout--focus-timer (cancel-timer passepartout--focus-timer))
  (setq passepartout--focus nil
        passepartout--focus-timer
        (and passepartout-focus-mode
             (run-with-idle-timer passepartout-focus-delay t #'passepartout--tell-focus)))
  (if passepartout-focus-mode
      (add-hook 'after-save-hook #'passepartout--tell-saved)
    (remove-hook 'after-save-hook #'passepartout--tell-saved)))

(defun passepartout--tell-focus ()
  "Tell the daemon where point is, if that is news."
  (when (and (eq passepartout--stage 'ready) (derived-mode-p 'org-mode))
    (let* ((name (passepartout--note-name))
           (place (and name (cons name (line-number-at-pos nil t)))))
      (when (and place (not (equal place passepartout--focus)))
        (setq passepartout--focus place)
        (passepartout--event #'ignore :sensor :point-update
                             :file name :line (cdr place))))))

(defun passepartout--tell-saved ()
  "Tell the daemon that the note of this buffer was saved."
  (when (eq passepartout--stage 'ready)
    (let ((name (passepartout--note-name)))
      (when name (passepartout--event #'ignore :sensor :buffer-update :file name)))))

(defun passepartout--lighter ()
  "Return the state of the connection for the mode line."
  (pcase passepartout--stage
    ('ready (if (seq-some (lambda (turn) (not (eq (cdr turn) #'ignore))) passepartout--turns)
                " Pass:…"
              " Pass"))
    ('nil " Pass:off")
    (_ " Pass:?")))

(defun passepartout--header ()
  "Return where the session is, for the header line of the conversation."
  (if passepartout--scope
      (concat " in " (replace-regexp-in-string "%" "%%" passepartout--scope t t))
    ""))

(defun passepartout-follow (stop)
  "Have the context follow the buffer; with a prefix argument, STOP that."
  (interactive "P")
  (unless (or stop passepartout-focus-mode) (passepartout-focus-mode 1))
  (passepartout--say (if stop "stop following the buffer" "follow the buffer")
                     #'passepartout--told))

(defun passepartout-status ()
  "Say how the daemon is."
  (interactive)
  (passepartout-connect)
  (passepartout--send
   '(:type :request :meta (:source :emacs) :payload (:action :health-check))))

(defun passepartout--show-health (message)
  "Show the daemon's health, which is in MESSAGE."
  (let ((memory (passepartout--field message :memory-bytes))
        (objects (passepartout--field message :objects)))
    (message "Passepartout %s for %s: %s notes, %s MB"
             (passepartout--text message :version) passepartout--memex objects
             (if (integerp memory) (/ memory 1000000) "?"))))

(defun passepartout-flight-plans ()
  "Visit the file of questions that wait for an answer."
  (interactive)
  (passepartout-connect)
  (passepartout-visit "flight-plans.org" 1)
  (passepartout-plan-mode))

(define-minor-mode passepartout-plan-mode
  "Answer a flight plan with \\<org-mode-map>\\[org-ctrl-c-ctrl-c] at its headline."
  :lighter " Plans"
  (if passepartout-plan-mode
      (add-hook 'org-ctrl-c-ctrl-c-hook #'passepartout-decide nil t)
    (remove-hook 'org-ctrl-c-ctrl-c-hook #'passepartout-decide t)))

(defun passepartout--at-plan ()
  "Return non-nil when point is in a flight plan that waits."
  (and (derived-mode-p 'org-mode)
       (equal (passepartout--note-name) "flight-plans.org")
       (save-excursion
         (and (ignore-errors (org-back-to-heading t))
              (looking-at-p "\\* WAITING ")))))

(defun passepartout-decide ()
  "Ask what to answer to the plan at point; do nothing elsewhere."
  (interactive)
  (when (passepartout--at-plan)
    (pcase (read-char-choice "Approve (a), deny (d), or leave it (q)? " '(?a ?d ?q))
      (?a (passepartout--decide-plan "APPROVED"))
      (?d (passepartout--decide-plan "DENIED")))
    t))

(defun passepartout--decide-plan (state)
  "Set the plan at point to STATE and save it, which is the answer."
  (unless (verify-visited-file-modtime (current-buffer))
    (user-error "The file has changed on disk; revert the buffer and read the plan again"))
  (when (and (buffer-modified-p)
             (not (y-or-n-p "This buffer has other changes; save them too? ")))
    (user-error "Nothing was decided"))
  (save-excursion
    (org-back-to-heading t)
    (let ((org-inhibit-logging t)
          (org-inhibit-blocking t))
      (org-todo state)))
  (save-buffer)
  (when (eq passepartout--stage 'ready)
    (passepartout--event #'ignore :sensor :buffer-update :file "flight-plans.org")))

(defun passepartout--decide (verb state)
  "Answer the plan at point with STATE, or one that is named with VERB."
  (if (passepartout--at-plan)
      (passepartout--decide-plan state)
    (let ((token (read-string (format "%s which question (six letters)? " (capitalize verb)))))
      (unless (string-match-p "\\`[a-zA-Z]\\{6\\}\\'" token)
        (user-error "Not the word of a question: %s" token))
      (passepartout--ask (concat verb " " (downcase token))))))

(defun passepartout-approve ()
  "Say yes to the plan at point, or to a question that is named."
  (interactive)
  (passepartout--decide "approve" "APPROVED"))

(defun passepartout-deny ()
  "Say no to the plan at point, or to a question that is named."
  (interactive)
  (passepartout--decide "deny" "DENIED"))

(defun passepartout--obey (payload)
  "Do what PAYLOAD, a request of the daemon's, asks for, and report."
  (let* ((id (plist-get payload :id))
         (outcome (condition-case fault
                      (cons :success (passepartout--do payload))
                    (quit (cons :error "The owner stopped it"))
                    (error (cons :error (error-message-string fault))))))
    (when (and (stringp id) (eq passepartout--stage 'ready))
      (passepartout--event #'ignore :sensor :emacs-result :id id
                           :status (car outcome) :text (cdr outcome)))))

(defun passepartout--do (payload)
  "Do what PAYLOAD asks for; return what there is to tell.
Signal an error when it cannot be done."
  (pcase (plist-get payload :action)
    (:message (message "%s" (passepartout--string payload :text)) "shown")
    (:show (passepartout--show payload))
    (:insert-at-end (passepartout--insert-at-end payload))
    (:insert-node (passepartout--insert-node payload))
    (:eval (passepartout--eval (passepartout--string payload :code)))
    (_ (passepartout--fail "There is nothing of that name to do"))))

(defun passepartout--string (payload key)
  "Return the string at KEY in PAYLOAD, or signal an error."
  (let ((value (plist-get payload key)))
    (if (stringp value) value (passepartout--fail "Expected a text"))))

(defun passepartout--target (payload)
  "Return a buffer of the note that PAYLOAD wants to change."
  (let* ((name (passepartout--string payload :file))
         (path (or (passepartout--note-path name) (passepartout--fail "There is no such note"))))
    (when (string-match-p "\\`flight-plans" (downcase (file-name-nondirectory path)))
      (passepartout--fail "The flight plans are the owner's"))
    (passepartout--note-buffer path)))

(defun passepartout--show (payload)
  "Show the place that PAYLOAD names, without leaving where the owner is."
  (let* ((path (or (passepartout--note-path (passepartout--string payload :file))
                   (passepartout--fail "There is no such note")))
         (line (plist-get payload :line))
         (buffer (passepartout--note-buffer path))
         (window (display-buffer buffer)))
    (with-selected-window window
      (goto-char (point-min))
      (when (natnump line) (forward-line (1- line)))
      (when (and (derived-mode-p 'org-mode) (org-invisible-p)) (org-reveal))
      (recenter))
    "shown"))

(defun passepartout--insert-at-end (payload)
  "Insert the text of PAYLOAD at the end of its note, or of the conversation."
  (let ((text (passepartout--string payload :text)))
    (if (null (plist-get payload :file))
        (funcall (passepartout--chat-listener nil) :answer text)
      (with-current-buffer (passepartout--target payload)
        (save-excursion
          (save-restriction
            (widen)
            (goto-char (point-max))
            (undo-boundary)
            (unless (bolp) (insert "\n"))
            (insert (substring-no-properties text))
            (unless (bolp) (insert "\n"))
            (undo-boundary)))))
    "inserted, not saved"))

(defun passepartout--insert-node (payload)
  "Insert a headline with the title and text of PAYLOAD into its note."
  (let ((title (replace-regexp-in-string "[\r\n]+" " " (passepartout--string payload :title)))
        (text (or (plist-get payload :text) ""))
        (under (plist-get payload :under)))
    (with-current-buffer (passepartout--target payload)
      (save-excursion
        (save-restriction
          (widen)
          (let ((level (passepartout--go-below under)))
            (undo-boundary)
            (unless (bolp) (insert "\n"))
            (insert (make-string level ?*) " " (string-trim title) "\n"
                    (passepartout--harmless text t))
            (unless (bolp) (insert "\n"))
            (undo-boundary)))))
    "inserted, not saved"))

(defun passepartout--go-below (under)
  "Go to the end of the headline UNDER; return the level of a child.
When UNDER is nil, go to the end of the buffer."
  (if (not (stringp under))
      (progn (goto-char (point-max)) 1)
    (goto-char (or (org-find-exact-headline-in-buffer under (current-buffer) t)
                   (passepartout--fail "There is no headline of that name")))
    (let ((level (1+ (org-current-level))))
      (org-end-of-subtree t t)
      level)))

(defun passepartout--eval (code)
  "Show CODE, ask, and run it; return its value as text."
  (unless (eq passepartout-eval 'ask) (passepartout--fail "Lisp is not run here"))
  (when (string-match-p "#[[(]" code) (passepartout--fail "Expected Lisp that can be read"))
  (let* ((read-circle nil)
         (read (read-from-string code))
         (shown (pp-to-string (car read))))
    (unless (string-match-p "\\`[ \t\n\r]*\\'" (substring code (cdr read)))
      (passepartout--fail "Expected one form"))
    (with-current-buffer (get-buffer-create "*Passepartout code*")
      (let ((inhibit-read-only t)) (erase-buffer) (insert shown))
      (emacs-lisp-mode)
      (setq buffer-read-only t)
      (display-buffer (current-buffer)))
    (unless (condition-case nil
                (yes-or-no-p "Run this Lisp, which was approved in the daemon? ")
              (end-of-file nil))
      (passepartout--fail "The owner said no"))
    (let ((print-length 100) (print-level 10) (print-circle t))
      (prin1-to-string (eval (car read) t)))))

;;;###autoload (autoload 'passepartout-command-map "passepartout" nil t 'keymap)
(defvar passepartout-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "p" #'passepartout-chat)
    (define-key map "P" #'passepartout-resume)
    (define-key map "a" #'passepartout-agenda)
    (define-key map "b" #'passepartout-send-buffer)
    (define-key map "c" #'passepartout-capture)
    (define-key map "f" #'passepartout-flight-plans)
    (define-key map "n" #'passepartout-deny)
    (define-key map "r" #'passepartout-send-region)
    (define-key map "s" #'passepartout-search)
    (define-key map "t" #'passepartout-send-subtree)
    (define-key map "w" #'passepartout-why)
    (define-key map "y" #'passepartout-approve)
    (define-key map "." #'passepartout-follow)
    (define-key map "?" #'passepartout-status)
    map)
  "The commands of this client.")
(fset 'passepartout-command-map passepartout-command-map)

(provide 'passepartout)
;;; passepartout.el ends here
