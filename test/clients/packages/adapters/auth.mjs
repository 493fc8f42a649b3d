import Resend from '@auth/core/providers/resend'

export default ({ token }) => ({
  'a link to sign in': async () => {
    const provider = { apiKey: token, from: 'Acme <login@acme.example>' }
    const { sendVerificationRequest } = Resend(provider)
    const host = `app-${process.env.RUN}.example`
    await sendVerificationRequest({
      identifier: 'you@example.com',
      provider,
      url: `https://${host}/callback`,
      theme: {},
    })
    return { subject: `Sign in to ${host}`, from: provider.from, to: ['you@example.com'] }
  },
  'a refusal is an error': async () => {
    const provider = { apiKey: 're_unknown_to_everybody', from: 'login@acme.example' }
    const sending = Resend(provider).sendVerificationRequest
    const request = sending({ identifier: 'you@example.com', provider, url: 'https://app.example', theme: {} })
    const error = await request.then(
      () => undefined,
      (reason) => reason,
    )
    if (!/API key is invalid/.test(error?.message)) throw new Error(`not refused: ${error}`)
    return null
  },
})
