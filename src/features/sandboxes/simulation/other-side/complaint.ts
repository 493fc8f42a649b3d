import { wireAddress } from '../../../../mail/address.ts'
import { domainOf, fieldsOf, type Reported, reportMail } from './report-mail.ts'

/** A feedback report (RFC 5965), as a mail provider sends it when somebody has pressed the button for spam. */
export function complaintMail(reported: Reported): Buffer {
  const { recipient, header, returnPath, date } = reported
  const provider = domainOf(recipient)
  return reportMail(reported, {
    from: `Feedback Loop <feedback-loop@${provider}>`,
    subject: 'FW: complaint about your message',
    type: 'feedback-report',
    parts: [
      {
        type: 'text/plain; charset=utf-8',
        content: `This is an email abuse report for a message received by ${provider}.\r\n`,
      },
      {
        type: 'message/feedback-report',
        content: fieldsOf({
          'Feedback-Type': 'abuse',
          'User-Agent': 'SandboxFeedback/1.0',
          Version: '1',
          'Original-Mail-From': `<${returnPath}>`,
          'Original-Rcpt-To': `<${wireAddress(recipient)}>`,
          'Arrival-Date': date.toUTCString().replace('GMT', '+0000'),
          'Reported-Domain': domainOf(returnPath),
        }),
      },
      { type: 'text/rfc822-headers', content: header },
    ],
  })
}
