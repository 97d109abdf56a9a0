;;; tangle-emacs.el --- Tangles documents for the tests  -*- lexical-binding: t -*-
(setq load-prefer-newer t)
(let ((lisp (getenv "ORG_LISP")))
  (unless (member lisp '(nil "")) (push lisp load-path)))
(require 'json)
(require 'org)
(require 'ob-tangle)
(dolist (language '(awk css haskell js latex lua makefile ocaml octave perl python ruby
                    scheme sed shell sql))
  (require (intern (format "ob-%s" language)) nil t))
(setq inhibit-message t
      make-backup-files nil
      create-lockfiles nil
      vc-handled-backends nil
      shell-file-name "/bin/sh"
      org-confirm-babel-evaluate t)
(set-default-file-modes #o755)
(advice-add 'read-string :override (lambda (&rest _) (error "Nobody answers")))

(defun test-read (file)
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents file))
    (buffer-string)))

(defun test-tangle (text)
  (let* ((folder (file-name-as-directory (make-temp-file "tangle" t)))
         (document (expand-file-name "a.org" folder))
         (default-directory folder)
         (process-environment (cons (concat "HOME=" (directory-file-name folder))
                                    process-environment))
         (buffers (buffer-list)))
    (make-directory (expand-file-name "sub" folder))
    (let ((coding-system-for-write 'utf-8-unix))
      (write-region text nil document nil 'quiet))
    (unwind-protect
        (condition-case problem
            (progn
              (org-babel-tangle-file document)
              (delete-file document)
              (vconcat
               (mapcar (lambda (file)
                         (vector (file-relative-name file folder)
                                 (test-read file)
                                 (logand #o7777 (file-modes file))))
                       (directory-files-recursively folder ""))))
          (error (error-message-string problem)))
      (dolist (buffer (buffer-list))
        (unless (memq buffer buffers)
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (kill-buffer buffer)))
      (delete-directory folder t))))

(let ((json-array-type 'list))
  (princ (json-encode
          `((version . ,(org-version))
            (results . ,(vconcat (mapcar #'test-tangle
                                         (json-read-file (pop command-line-args-left)))))))))
