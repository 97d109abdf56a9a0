;;; inert.el --- Does all that Org can do with a file  -*- lexical-binding: t -*-
(require 'org)
(require 'org-agenda)
(require 'ox-ascii)
(require 'ox-html)
(require 'ox-latex)
(require 'ob-shell)
(setq enable-local-variables :all
      enable-local-eval t
      org-confirm-babel-evaluate nil
      org-link-elisp-confirm-function nil
      org-link-shell-confirm-function nil
      org-export-with-broken-links t
      org-export-allow-bind-keywords t
      org-export-babel-evaluate t
      org-export-use-babel t
      browse-url-browser-function #'ignore
      create-lockfiles nil
      make-backup-files nil
      inhibit-message t)
(org-babel-do-load-languages 'org-babel-load-languages '((emacs-lisp . t) (shell . t)))

(defmacro careless (&rest body)
  `(condition-case problem (progn ,@body)
     (error (princ (format "%S\n" problem) #'external-debugging-output))))

(defun inert-try (file)
  (let ((buffer nil) (org-agenda-files (list (expand-file-name file))))
    (careless (setq buffer (find-file-noselect file t)))
    (when buffer
      (with-current-buffer buffer
        (careless (org-babel-tangle))
        (careless (org-babel-execute-buffer))
        (careless (org-table-recalculate-buffer-tables))
        (careless (org-update-all-dblocks))
        (dolist (backend '(ascii html latex))
          (careless
           (let ((org-inhibit-startup t) (out (org-export-as backend)))
             (with-temp-file (format "%s.%s" file backend) (insert out)))))
        (goto-char (point-min))
        (while (let ((at (point))) (org-next-link) (> (point) at))
          (careless (save-window-excursion (org-open-at-point))))
        (goto-char (point-min))
        (while (re-search-forward "^[ \t]*\\(?:# \\|:FROM:\\).*?\\(?:\\[\\[\\|<\\)" nil t)
          (careless (save-window-excursion (save-excursion (org-open-at-point)))))
        (goto-char (point-min))
        (while (re-search-forward "| *:?=" nil t)
          (careless (when (org-at-table-p) (save-excursion (org-table-maybe-eval-formula)))))
        (set-buffer-modified-p nil)))
    (careless (let ((org-agenda-include-diary nil)) (org-agenda-list nil "2026-11-20" 7)))
    (careless (with-current-buffer org-agenda-buffer-name
                (write-region (point-min) (point-max) (concat file ".agenda") nil 'quiet)))))

(mapc #'inert-try command-line-args-left)
(setq command-line-args-left nil)
