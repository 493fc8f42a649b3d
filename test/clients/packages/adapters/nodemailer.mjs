import { createTransport } from 'nodemailer'

export default ({ token, smtpPort, subject }) => {
  const auth = { user: 'resend', pass: token }
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, auth })
  const send = async (message, expected) => {
    const mail = { from: 'App <app@acme.example>', to: 'you@example.com', subject: subject(), text: 'Hi', ...message }
    await transport.sendMail(mail)
    return { subject: mail.subject, from: mail.from, ...expected }
  }
  const key = `order-${process.env.RUN}`
  return {
    'a plain mail': () => send({}, { to: ['you@example.com'] }),
    'html, copies and files': () =>
      send(
        {
          cc: 'cc@example.com',
          bcc: 'bcc@example.com',
          replyTo: 'help@acme.example',
          html: '<p>Hi <img src="cid:x"></p>',
          attachments: [{ filename: 'x.png', content: 'png', cid: 'x' }],
        },
        { cc: ['cc@example.com'], reply_to: ['help@acme.example'], contains: { html: '<p>Hi' } },
      ),
    'with an idempotency key': () => send({ headers: { 'Resend-Idempotency-Key': key } }, {}),
    'an invitation': () =>
      send({ icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' } }, {}),
  }
}
