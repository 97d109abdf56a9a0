;;; conformance.el --- Prints the syntax trees of files  -*- lexical-binding: t -*-
(let ((lisp (getenv "ORG_LISP")))
  (unless (member lisp '(nil "")) (push lisp load-path)))
(require 'org)
(require 'org-id)
(require 'org-element)
(when (getenv "ORG_INLINETASK") (require 'org-inlinetask))
(setq org-element-use-cache nil)

(defconst conformance-unprinted
  '(:begin :end :contents-begin :contents-end :post-blank :post-affiliated
    :parent :buffer :mode :granularity :cached :structure :secondary :deferred
    :standard-properties :org-element--cache-sync-key :robust-begin
    :robust-end :true-level :path-hack))

(defun conformance-node-p (value)
  (and (consp value) (symbolp (car value)) (car value) (consp (cdr value))
       (or (plist-member (nth 1 value) :standard-properties)
           (plist-member (nth 1 value) :begin))))

(defun conformance-value (value)
  (cond ((null value) :null)
        ((eq value t) t)
        ((numberp value) value)
        ((stringp value) (substring-no-properties value))
        ((symbolp value) (symbol-name value))
        ((conformance-node-p value)
         (or (org-element-property :raw-value value)
             (org-element-property :begin value)))
        ((and (consp value) (not (listp (cdr value))))
         (vector (conformance-value (car value)) (conformance-value (cdr value))))
        ((listp value) (vconcat (mapcar #'conformance-value value)))
        (t (format "%S" value))))

(defun conformance-properties (node)
  (let (found)
    (if (fboundp 'org-element-properties-mapc)
        (org-element-properties-mapc
         (lambda (key value) (push (cons key value) found)) node 'force)
      (let ((rest (nth 1 node)))
        (while rest
          (push (cons (car rest) (cadr rest)) found)
          (setq rest (cddr rest)))))
    (mapcar (lambda (pair)
              (cons (intern (substring (symbol-name (car pair)) 1))
                    (conformance-value (cdr pair))))
            (seq-filter (lambda (pair)
                          (and (cdr pair) (not (memq (car pair) conformance-unprinted))))
                        (nreverse found)))))

(defun conformance-offset (position)
  (if (numberp position) (1- position) :null))

(defun conformance-line (node)
  (json-serialize
   (vector (symbol-name (org-element-type node))
           (conformance-offset (org-element-property :begin node))
           (conformance-offset (org-element-property :end node))
           (conformance-offset (org-element-property :contents-begin node))
           (conformance-offset (org-element-property :contents-end node))
           (or (org-element-property :post-blank node) 0)
           (conformance-properties node))))

(defun conformance-lines (file)
  (with-temp-buffer
    (setq default-directory (file-name-directory file))
    (let ((coding-system-for-read 'utf-8) (format-alist nil))
      (insert-file-contents file))
    (let ((inhibit-message t) (org-inhibit-startup t))
      (org-mode)
      (org-update-radio-target-regexp))
    (let (lines)
      (org-element-map (org-element-parse-buffer)
          (append org-element-all-elements org-element-all-objects '(org-data))
        (lambda (node) (push (conformance-line node) lines)) nil nil nil t)
      (nreverse lines))))

(princ (format "version %s\n" (org-version)))
(dolist (file (mapcar #'expand-file-name command-line-args-left))
  (let ((lines (condition-case nil (conformance-lines file) (error nil))))
    (when lines
      (princ (format "file %s\n" file))
      (dolist (line lines) (princ line) (princ "\n")))))
(setq command-line-args-left nil)
