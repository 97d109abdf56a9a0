;;; emacs.el --- Runs Org commands for the tests  -*- lexical-binding: t -*-
(setq load-prefer-newer t)
(let ((lisp (getenv "ORG_LISP")))
  (unless (member lisp '(nil "")) (push lisp load-path)))
(require 'json)
(require 'org)
(require 'org-id)
(require 'org-archive)
(require 'org-refile nil t)
(setq inhibit-message t
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      org-id-track-globally nil
      org-adapt-indentation nil)

(defvar test-now nil "The moment at which the present case happens.")
(advice-add 'current-time :override (lambda () test-now))
(advice-add 'format-time-string :filter-args
            (lambda (args) (list (car args) (or (nth 1 args) test-now) (nth 2 args))))
(advice-add 'decode-time :filter-args
            (lambda (args) (cons (or (car args) test-now) (cdr args))))
(advice-add 'float-time :filter-args (lambda (args) (list (or (car args) test-now))))
(defun test-or-now (times)
  (mapcar (lambda (time) (or time test-now)) times))
(dolist (function '(time-less-p time-add time-subtract))
  (advice-add function :filter-args #'test-or-now))

(defun test-write (folder file text)
  (let ((coding-system-for-write 'utf-8-unix))
    (write-region text nil (expand-file-name file folder) nil 'quiet)))

(defun test-read (folder file)
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents (expand-file-name file folder)))
    (buffer-string)))

(defun test-buffers (folder)
  (seq-filter (lambda (buffer)
                (string-prefix-p folder (or (buffer-file-name buffer) "")))
              (buffer-list)))

(defun test-edit (folder point command)
  (with-current-buffer (find-file-noselect (expand-file-name "a.org" folder) t)
    (goto-char point)
    (eval (car (read-from-string command)) t)
    (run-hooks 'post-command-hook))
  (dolist (buffer (test-buffers folder))
    (with-current-buffer buffer (save-buffer))))

(defun test-case (case)
  (let* ((folder (file-name-as-directory (make-temp-file "case" t)))
         (default-directory folder)
         (test-now (apply #'encode-time (append (alist-get 'now case) '(nil -1 t)))))
    (unwind-protect
        (condition-case problem
            (progn
              (dolist (file (alist-get 'files case))
                (test-write folder (symbol-name (car file)) (cdr file)))
              (test-edit folder (alist-get 'point case) (alist-get 'command case))
              (mapcar (lambda (file)
                        (cons (intern file)
                              (replace-regexp-in-string
                               (regexp-quote folder) "/folder/" (test-read folder file) t t)))
                      (directory-files folder nil "\\`[^.#]")))
          (error (list (cons 'error (error-message-string problem)))))
      (dolist (buffer (test-buffers folder))
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer))
      (delete-directory folder t))))

(let* ((json-object-type 'alist)
       (json-array-type 'list)
       (cases (json-read-file (pop command-line-args-left))))
  (princ (json-encode `((version . ,(org-version))
                        (results . ,(vconcat (mapcar #'test-case cases)))))))
