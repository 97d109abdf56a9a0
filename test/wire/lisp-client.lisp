(require :sb-bsd-sockets)

(defun connected (address)
  "A stream to ADDRESS, a port of this machine or the path of a Unix socket."
  (let* ((port (parse-integer address :junk-allowed t))
         (socket (if port
                     (make-instance 'sb-bsd-sockets:inet-socket :type :stream :protocol :tcp)
                     (make-instance 'sb-bsd-sockets:local-socket :type :stream))))
    (if port
        (sb-bsd-sockets:socket-connect socket #(127 0 0 1) port)
        (sb-bsd-sockets:socket-connect socket address))
    (sb-bsd-sockets:socket-make-stream
     socket :input t :output t :buffering :full :external-format :utf-8)))

(defun say-to (stream form)
  (let ((message (prin1-to-string form)))
    (format stream "~6,'0x~a" (length message) message)
    (finish-output stream)))

(defun heard-from (stream)
  "The next message, and its text."
  (let ((header (make-string 6)))
    (read-sequence header stream)
    (let ((text (make-string (parse-integer header :radix 16)))
          (*read-eval* nil))
      (read-sequence text stream)
      (values (read-from-string text) text))))

(defun field (message name)
  (getf (getf message :payload) name))

(defun check (what is-so)
  (format t "~a: ~a~%" what (if is-so "yes" "NO"))
  (finish-output))

(defun characters-from (start)
  (coerce (loop for code from start below (min (+ start 32768) char-code-limit)
                unless (<= #xd800 code #xdfff) collect (code-char code))
          'string))

(defun all-come-back (stream)
  (loop for start from 0 below char-code-limit by 32768
        for text = (characters-from start)
        always (progn
                 (say-to stream `(:type :request :payload (:action :ping :text ,text)))
                 (let ((message (heard-from stream)))
                   (and (eq (field message :action) :pong)
                        (string= (field message :text) text))))))

(defun converse (stream sentence)
  (say-to stream `(:type :event :payload (:sensor :user-input :text ,sentence)))
  (loop
    (multiple-value-bind (message text) (heard-from stream)
      (check "prints as it was sent" (string= text (prin1-to-string message)))
      (when (eq (getf message :type) :response)
        (format t "answer: ~a~%" (field message :text)))
      (when (eq (field message :action) :turn-end) (return)))))

(let* ((arguments (last sb-ext:*posix-argv* 2))
       (address (first arguments))
       (is-old (every #'digit-char-p address))
       (stream (connected address))
       (*print-pretty* nil))
  (check "the daemon says hello" (eq (field (heard-from stream) :action) :handshake))
  (unless is-old
    (say-to stream '(:type :request :meta (:source :lisp) :payload (:action :authenticate)))
    (check "the daemon lets us in" (eq (field (heard-from stream) :action) :authenticated))
    (check "all of Unicode comes back" (all-come-back stream)))
  (converse stream (second arguments)))
