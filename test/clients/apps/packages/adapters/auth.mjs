import Nodemailer from '@auth/core/providers/nodemailer'
import Resend from '@auth/core/providers/resend'

export default ({ token, smtpPort }) => {
  const ask = async (make, settings, host) => {
    const provider = { ...settings, from: 'Acme <login@acme.example>' }
    const { sendVerificationRequest } = make(provider)
    const url = `https://${host}/callback`
    await sendVerificationRequest({ identifier: 'you@example.com', provider, url, theme: {} })
    return { subject: `Sign in to ${host}`, from: provider.from, to: ['you@example.com'] }
  }
  return {
    'Nodemailer provider': () =>
      ask(Nodemailer, { server: `smtp://resend:${token}@127.0.0.1:${smtpPort}` }, `smtp-${process.env.RUN}.example`),
    'Resend provider, redirected': () => ask(Resend, { apiKey: token }, `api-${process.env.RUN}.example`),
  }
}
