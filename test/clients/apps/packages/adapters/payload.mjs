import { nodemailerAdapter } from '@payloadcms/email-nodemailer'
import { resendAdapter } from '@payloadcms/email-resend'

const DEFAULTS = { defaultFromAddress: 'cms@acme.example', defaultFromName: 'CMS' }

export default ({ token, smtpPort, subject }) => {
  const send = async (adapter) => {
    const mail = { to: 'you@example.com', subject: subject(), html: '<p>Hi</p>' }
    await adapter().sendEmail(mail)
    return { subject: mail.subject, from: 'CMS <cms@acme.example>', to: [mail.to] }
  }
  return {
    nodemailerAdapter: async () =>
      send(
        await nodemailerAdapter({
          ...DEFAULTS,
          transportOptions: { host: '127.0.0.1', port: smtpPort, auth: { user: 'resend', pass: token } },
        }),
      ),
    'resendAdapter, redirected': () => send(resendAdapter({ ...DEFAULTS, apiKey: token })),
  }
}
