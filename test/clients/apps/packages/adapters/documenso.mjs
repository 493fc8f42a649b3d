import { ResendTransport } from '@documenso/nodemailer-resend'
import { createTransport } from 'nodemailer'

export default ({ token, subject }) => ({
  'NEXT_PRIVATE_SMTP_TRANSPORT=resend': async () => {
    const transport = createTransport(ResendTransport.makeTransport({ apiKey: token }))
    const mail = {
      from: { name: 'Acme', address: 'sign@acme.example' },
      to: { name: 'You', address: 'you@example.com' },
      subject: subject(),
      html: '<p>Sign</p>',
      text: 'Sign',
    }
    await transport.sendMail(mail)
    return { subject: mail.subject, contains: { from: 'sign@acme.example', html: '<p>Sign</p>' } }
  },
})
