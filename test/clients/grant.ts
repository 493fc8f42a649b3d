import { createHash, randomBytes } from 'node:crypto'

/** Of the published CLI, which every installation knows. */
const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'

/** A person lets a program in, as the page of the dashboard does it. `link`: what `postwren user link` has printed. */
export async function letProgramIn(url: string, link: string) {
  const page = { 'x-postwren-dashboard': '1', origin: new URL(url).origin, 'content-type': 'application/json' }
  const post = async (path: string, body: object, cookie = '') => {
    const reply = await fetch(url + path, { method: 'POST', headers: { ...page, cookie }, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`POST ${path}: ${await reply.text()}`)
    return reply
  }
  const signedIn = await post('/dashboard/sign-in', { token: /#sign-in=(\S+)/.exec(link)![1] })
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!
  const session = await fetch(`${url}/dashboard/session`, { headers: { ...page, cookie } })
  const { team } = (await session.json()) as { team: { id: string } }
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:4999/oauth/callback',
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual' })
  const request = new URL(asked.headers.get('location')!).searchParams.get('request')
  await post('/dashboard/oauth/approve', { request, team: team.id }, cookie)
}
