import { render } from '@react-email/render'
import { createElement } from 'react'
import { Resend } from 'resend'

const letter = createElement('html', null, createElement('body', null, createElement('h1', null, 'Welcome & hello')))

export default ({ token, subject }) => {
  const { emails } = new Resend(token)
  const send = async (body) => {
    const mail = { from: 'app@acme.example', to: 'you@example.com', subject: subject(), ...body }
    const { data, error } = await emails.send(mail)
    if (error) throw new Error(error.message)
    return { id: data.id, subject: mail.subject, contains: { html: 'Welcome &amp; hello' } }
  }
  return {
    'rendered before': async () =>
      send({ html: await render(letter), text: await render(letter, { plainText: true }) }),
    'rendered by the SDK': () => send({ react: letter }),
  }
}
