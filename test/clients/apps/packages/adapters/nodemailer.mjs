import { createTransport } from 'nodemailer'

// Programs that are no package, by what they hand to nodemailer of their settings.
export default ({ token, smtpPort, subject }) => {
  const [host, user, pass] = ['127.0.0.1', 'resend', token]
  const auth = { user, pass }
  const PROGRAMS = {
    'Cal.com': { host, port: smtpPort, auth, secure: false, tls: { rejectUnauthorized: true } },
    Directus: { pool: undefined, host, port: smtpPort, secure: undefined, ignoreTLS: undefined, auth, tls: {} },
    Documenso: { host, port: smtpPort, secure: false, ignoreTLS: false, auth },
    Dub: { host, port: String(smtpPort), auth, secure: false, tls: { rejectUnauthorized: false } },
    Formbricks: {
      host,
      port: smtpPort,
      secure: false,
      auth: { type: 'LOGIN', ...auth },
      tls: { rejectUnauthorized: true },
    },
    Infisical: { host, port: smtpPort, auth, secure: false, ignoreTLS: false, requireTLS: false },
    n8n: { host, port: smtpPort, secure: false, ignoreTLS: true, auth },
    'Trigger.dev': { host, port: smtpPort, secure: false, auth },
  }
  const send = async (options) => {
    const mail = {
      from: 'App <app@acme.example>',
      to: 'you@example.com',
      subject: subject(),
      text: 'Hi',
      html: '<p>Hi</p>',
    }
    await createTransport(options).sendMail(mail)
    return { subject: mail.subject, from: mail.from, to: [mail.to] }
  }
  return Object.fromEntries(Object.entries(PROGRAMS).map(([name, options]) => [name, () => send(options)]))
}
