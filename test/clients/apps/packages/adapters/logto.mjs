import createSmtpConnector from '@logto/connector-smtp'

export default ({ token, smtpPort, subject }) => ({
  'SMTP connector': async () => {
    const title = subject()
    const config = {
      host: '127.0.0.1',
      port: smtpPort,
      auth: { type: 'login', user: 'resend', pass: token },
      fromEmail: 'login@acme.example',
      templates: ['SignIn', 'Register', 'ForgotPassword', 'Generic'].map((usageType) => ({
        usageType,
        contentType: 'text/html',
        subject: title,
        content: '<p>Your code is {{code}}.</p>',
      })),
    }
    const connector = await createSmtpConnector({ getConfig: async () => config })
    await connector.sendMessage({ to: 'you@example.com', type: 'SignIn', payload: { code: '482913' } })
    return { subject: title, from: config.fromEmail, contains: { html: '482913' } }
  },
})
