;;; export-html.el --- Prints documents as HTML  -*- lexical-binding: t -*-
(setq load-prefer-newer t)
(let ((lisp (getenv "ORG_LISP")))
  (unless (member lisp '(nil "")) (push lisp load-path)))
(require 'json)
(require 'org)
(require 'ox-html)
(setq inhibit-message t
      make-backup-files nil
      org-export-use-babel nil
      org-export-with-broken-links t
      org-export-with-toc nil
      org-export-with-section-numbers nil
      org-export-with-planning t
      org-export-with-priority t
      org-export-headline-levels 20
      org-html-htmlize-output-type nil
      org-export-with-smart-quotes nil
      org-confirm-babel-evaluate t
      enable-local-variables nil)

(princ
 (json-encode
  `((version . ,(org-version))
    (pages . ,(vconcat
               (mapcar
                (lambda (file)
                  (with-temp-buffer
                    (let ((coding-system-for-read 'utf-8-unix))
                      (insert-file-contents file))
                    (setq default-directory (file-name-directory file))
                    (org-mode)
                    (org-export-as 'html nil nil t)))
                command-line-args-left))))))
(setq command-line-args-left nil)
