import type { App, Reply } from './app.ts'

export const HOST = 'localhost:4025'

/** What our own page sends along. */
export const FROM_OUR_PAGE = { 'x-postwren-dashboard': '1', host: HOST, origin: `http://${HOST}` }

/** Signs in with a key, or with what a start has printed. */
export const signIn = (app: App, payload: { key: string } | { link: string }): Promise<Reply> =>
  app.send({ method: 'POST', url: '/dashboard/session', payload, headers: FROM_OUR_PAGE })

/** The part of the cookie that a browser sends back. */
export const cookieOf = ({ headers }: Reply) => String(headers['set-cookie']).split(';', 1)[0]!

/** Somebody who is signed in, and the page in front of them. */
export async function signedIn(app: App, key: string) {
  const cookie = cookieOf(await signIn(app, { key }))
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, headers: object = {}) =>
    app.send({ method, url, ...(payload && { payload }), headers: given({ ...FROM_OUR_PAGE, cookie, ...headers }) })
  return {
    cookie,
    get: (url: string, headers?: object) => send('GET', url, undefined, headers),
    post: (url: string, payload: object, headers?: object) => send('POST', url, payload, headers),
    delete: (url: string, headers?: object) => send('DELETE', url, undefined, headers),
  }
}

/** A test takes a header away by saying that it is undefined. */
const given = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
