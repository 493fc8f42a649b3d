import nodemailer from '@tryghost/nodemailer'

export default ({ token, smtpPort, subject }) => ({
  'mail__transport=SMTP': async () => {
    // Settings from the environment are strings.
    const options = { host: '127.0.0.1', port: String(smtpPort), auth: { user: 'resend', pass: token } }
    const mail = { from: '"Blog" <blog@acme.example>', to: 'you@example.com', subject: subject(), html: '<p>Hi</p>' }
    await nodemailer('SMTP', options).sendMail(mail)
    return { subject: mail.subject, from: 'Blog <blog@acme.example>', to: [mail.to] }
  },
})
