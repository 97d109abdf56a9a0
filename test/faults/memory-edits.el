;; -*- lexical-binding: t; -*-
(setq create-lockfiles t make-backup-files t auto-save-default nil
      backup-enable-predicate #'always)
(defun memory-edits-write (file line)
  "Put LINE at the end of the section Emacs of FILE and save it."
  (with-current-buffer (find-file-noselect file t)
    (unless (verify-visited-file-modtime) (revert-buffer t t t))
    (goto-char (point-min))
    (re-search-forward "^\\* Emacs$")
    (if (re-search-forward "^\\* " nil t) (goto-char (match-beginning 0))
      (goto-char (point-max)))
    (insert line)
    (sleep-for (/ (random 5) 1000.0))
    (save-buffer)))
(defun memory-edits-run (dir files count)
  "Write COUNT lines to FILES in DIR; print what was written and how often it failed."
  (let ((number 0) (conflicts 0))
    (princ "ready\n" #'external-debugging-output)
    (while (not (file-exists-p (expand-file-name ".start" dir))) (sleep-for 0.005))
    (while (< number count)
      (let ((file (expand-file-name (nth (% number (length files)) files) dir)))
        (condition-case nil
            (progn (memory-edits-write file (format "- emacs %d\n" number))
                   (princ (format "\nwrote %d\n" number))
                   (setq number (1+ number)))
          (error
           (setq conflicts (1+ conflicts))
           (let ((buffer (get-file-buffer file)))
             (when buffer
               (with-current-buffer buffer (set-buffer-modified-p nil))
               (kill-buffer buffer)))))))
    (princ (format "\nconflicts %d\n" conflicts))))
