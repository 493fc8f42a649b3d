import nodemailerProvider from '@strapi/provider-email-nodemailer'
import resendProvider from 'strapi-provider-email-resend'

const SETTINGS = { defaultFrom: 'cms@acme.example', defaultReplyTo: 'help@acme.example' }

export default ({ token, smtpPort, subject }) => {
  const send = async (strapi) => {
    const mail = { to: 'you@example.com', subject: subject(), text: 'Hi', html: '<p>Hi</p>' }
    await strapi.send(mail)
    return { subject: mail.subject, from: SETTINGS.defaultFrom, to: [mail.to] }
  }
  const smtp = { host: '127.0.0.1', port: smtpPort, auth: { user: 'resend', pass: token } }
  return {
    'strapi-provider-email-resend': () => send(resendProvider.init({ apiKey: token }, SETTINGS)),
    '@strapi/provider-email-nodemailer': async () => ({
      ...(await send(nodemailerProvider.init(smtp, SETTINGS))),
      // The other one sends it under a name that the API does not have.
      reply_to: [SETTINGS.defaultReplyTo],
    }),
  }
}
