import { resendAdapter } from '@payloadcms/email-resend'

export default ({ token, subject }) => {
  const adapter = resendAdapter({ apiKey: token, defaultFromAddress: 'cms@acme.example', defaultFromName: 'CMS' })()
  const send = async (message, expected) => {
    const mail = { subject: subject(), ...message }
    await adapter.sendEmail(mail)
    return { subject: mail.subject, ...expected }
  }
  return {
    'a plain mail': () =>
      send({ to: 'you@example.com', html: '<p>Hi</p>' }, { from: 'CMS <cms@acme.example>', to: ['you@example.com'] }),
    'names, copies and answers': () =>
      send(
        {
          from: { name: 'Ada', address: 'ada@acme.example' },
          to: [{ name: 'You', address: 'you@example.com' }, 'other@example.com'],
          cc: 'cc@example.com',
          replyTo: { name: 'Help', address: 'help@acme.example' },
          text: 'Hi',
        },
        {
          from: 'Ada <ada@acme.example>',
          to: ['you@example.com', 'other@example.com'],
          cc: ['cc@example.com'],
          reply_to: ['help@acme.example'],
        },
      ),
    'files as bytes': () =>
      send(
        { to: 'you@example.com', text: 'Hi', attachments: [{ filename: 'a.txt', content: Buffer.from('hello') }] },
        {},
      ),
    'files as text': () =>
      send({ to: 'you@example.com', text: 'Hi', attachments: [{ filename: 'a.txt', content: 'not base64!' }] }, {}),
    headers: () =>
      send({ to: 'you@example.com', text: 'Hi', headers: { 'X-Entity-Ref-ID': '1', 'X-List': ['a', 'b'] } }, {}),
  }
}
