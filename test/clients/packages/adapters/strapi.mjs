import provider from 'strapi-provider-email-resend'

export default ({ token, subject }) => {
  const strapi = provider.init(
    { apiKey: token },
    { defaultFrom: 'cms@acme.example', defaultReplyTo: 'help@acme.example' },
  )
  return {
    'a plain mail': async () => {
      const mail = { to: 'you@example.com', subject: subject(), text: 'Hi', html: '<p>Hi</p>' }
      const { id } = await strapi.send(mail)
      return { id, subject: mail.subject, from: 'cms@acme.example', to: ['you@example.com'] }
    },
  }
}
