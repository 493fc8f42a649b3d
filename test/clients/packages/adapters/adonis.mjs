import { ResendTransport } from '@adonisjs/mail/transports/resend'

export default ({ token, url, subject }) => {
  const transport = new ResendTransport({ key: token, baseUrl: url, tags: [{ name: 'kind', value: 'test' }] })
  return {
    'a mail with everything': async () => {
      const mail = {
        from: { address: 'app@acme.example', name: 'App' },
        to: [{ address: 'you@example.com', name: 'You' }, 'other@example.com'],
        cc: ['cc@example.com'],
        bcc: ['bcc@example.com'],
        replyTo: ['help@acme.example'],
        subject: subject(),
        html: '<p>Hi</p>',
        attachments: [{ filename: 'a.txt', content: Buffer.from('hello') }],
      }
      const { messageId } = await transport.send(mail)
      return {
        id: messageId,
        subject: mail.subject,
        from: 'App <app@acme.example>',
        to: ['You <you@example.com>', 'other@example.com'],
        reply_to: ['help@acme.example'],
      }
    },
  }
}
