import type { FastifyReply } from 'fastify'

/** A mail with its pictures. Nobody scrolls through more, and what is too long for a frame can be downloaded. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

/**
 * The policy of a mail whose reader asked for its remote pictures. The page's own policy allows no other host and is inherited by
 * every frame without an address; this frame has one, and so a policy of its own: pictures from anywhere, and nothing else.
 */
const FRAME_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src data: https: http:',
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** Of an answer that is somebody's mail: no scripts, no forms, nothing of ours within its reach. */
export const MAIL_HEADERS = {
  'content-security-policy': FRAME_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** As text, so that nothing has to be decoded: `html=`, the html as it is, and a line break. */
export const FRAME_FORM_TYPE = 'text/plain'
const FIELD = 'html='

/** Gives the page its own html back, in a frame with that policy. */
export const sendFrame = (reply: FastifyReply, form: string) =>
  reply
    .type('text/html; charset=utf-8')
    .headers(MAIL_HEADERS)
    .send(form.startsWith(FIELD) ? form.slice(FIELD.length).replace(/\r?\n$/, '') : '')
