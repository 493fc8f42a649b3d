module trial

go 1.26.8

require github.com/resend/resend-go/v3 v3.1.1
