import { wireAddress } from '../../../../mail/address.ts'
import { parseReply } from '../../../../mail/replies/parse-reply.ts'
import { fieldsOf, type Reported, reportMail, serverOf } from './report-mail.ts'

/** A delivery status notification (RFC 3464), as a server sends it that has taken a mail and found out later. */
export function bounceMail(reported: Reported, reply: string): Buffer {
  const { recipient, header } = reported
  const server = serverOf(recipient)
  const address = wireAddress(recipient)
  const { code, enhanced } = parseReply(reply) ?? { code: 550, enhanced: null }
  const status = enhanced ?? (code < 500 ? '4.0.0' : '5.0.0')
  const words = [
    `This is the mail system at host ${server}.`,
    '',
    'Your message could not be delivered to one or more recipients. It is attached below.',
    '',
    `<${address}>: ${reply}`,
    '',
  ].join('\r\n')
  return reportMail(reported, {
    from: `Mail Delivery System <MAILER-DAEMON@${server}>`,
    subject: 'Undelivered Mail Returned to Sender',
    type: 'delivery-status',
    parts: [
      { type: 'text/plain; charset=utf-8', content: words },
      {
        type: 'message/delivery-status',
        content: `${fieldsOf({ 'Reporting-MTA': `dns; ${server}` })}\r\n${fieldsOf({
          'Final-Recipient': `rfc822; ${address}`,
          'Original-Recipient': `rfc822; ${address}`,
          Action: 'failed',
          Status: status,
          'Diagnostic-Code': `smtp; ${reply}`,
        })}`,
      },
      { type: 'text/rfc822-headers', content: header },
    ],
  })
}
