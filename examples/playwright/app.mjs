// A tiny application: people sign up with an address, prove it with a code or a link, and are reminded after three days if they did
// not. It sends with the SDK, and learns from a webhook which addresses are wrong.
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Resend } from 'resend'

/** Starts it on a free port. The key, the base URL and the sender come from outside, as in any application. */
export async function startApp({ apiKey, baseUrl, from }) {
  const resend = new Resend(apiKey, { baseUrl })
  const users = new Map()
  const server = createServer(async (request, response) => {
    const { status = 200, body } = await answer(request).catch((error) => ({ status: 500, body: error.message }))
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<!doctype html><title>Sign up</title>${body}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const webhook = dataOf(await resend.webhooks.create({ endpoint: `${url}/webhook`, events: ['email.bounced'] }))

  async function answer(request) {
    const { pathname, searchParams } = new URL(request.url, url)
    const payload = await text(request)
    const form = request.method === 'POST' ? new URLSearchParams(payload) : searchParams
    const user = users.get(form.get('email'))
    switch (`${request.method} ${pathname}`) {
      case 'GET /':
        return { body: SIGN_UP }
      case 'POST /sign-up':
        return signUp(form.get('email'))
      case 'POST /confirm':
        return user?.code === form.get('code') ? confirm(user) : { status: 422, body: 'That is not the code.' }
      case 'GET /confirm':
        return user?.token === form.get('token') ? confirm(user) : { status: 422, body: 'That link is too old.' }
      case 'GET /account':
        return { body: user?.isUnreachable ? 'We cannot reach you.' : 'We have sent you a mail.' }
      case 'POST /webhook':
        return learn(request.headers, payload)
      default:
        return { status: 404, body: 'Not found' }
    }
  }

  async function signUp(email) {
    const user = { email, code: String(randomInt(100_000, 1_000_000)), token: randomUUID() }
    users.set(email, user)
    const link = `${url}/confirm?${new URLSearchParams({ email, token: user.token })}`
    const html = `<p>Your code is <b>${user.code}</b>, or <a href="${link}">confirm your address</a> with one click.</p>`
    const mail = { from, to: email, html }
    dataOf(await resend.emails.send({ ...mail, subject: 'Confirm your address' }))
    const reminder = await resend.emails.send({ ...mail, subject: 'Still there?', scheduledAt: 'in 3 days' })
    user.reminder = dataOf(reminder).id
    return { body: `<form method="post" action="/confirm">${hidden('email', email)}${CODE}</form>` }
  }

  async function confirm(user) {
    dataOf(await resend.emails.cancel(user.reminder))
    return { body: '<h1>Welcome</h1>' }
  }

  function learn(headers, payload) {
    const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } = headers
    const signed = { headers: { id, timestamp, signature }, payload, webhookSecret: webhook.signing_secret }
    for (const email of resend.webhooks.verify(signed).data.to) users.get(email).isUnreachable = true
    return { body: '' }
  }

  return { url, close: () => server.close() }
}

const SIGN_UP =
  '<form method="post" action="/sign-up"><label>Email <input name="email"></label><button>Sign up</button></form>'
const CODE = '<label>Code <input name="code"></label><button>Confirm</button>'

const hidden = (name, value) =>
  `<input type="hidden" name="${name}" value="${value.replace(/[&"<]/g, (one) => `&#${one.charCodeAt(0)};`)}">`

/** The SDK answers errors; they are thrown here. */
function dataOf({ data, error }) {
  if (error) throw new Error(error.message)
  return data
}
