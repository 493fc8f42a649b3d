import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../cleanup.ts'

const ROWS = Array.from({ length: 25 }, (_, n) => `<tr><td>customer-${n}@example.com<td>Subject ${n}<td>delivered</tr>`)

/** A page that shows a table and answers inputs, with a script of so many bytes that does nothing else. Returns its address. */
export async function startStaticPage(bytes: number): Promise<string> {
  const page = `<!doctype html><meta charset="utf-8"><title>Static</title><main><h1>Emails</h1><input>
    <button onclick="document.querySelector('h1').textContent = 'Next'">Older</button>
    <a href="#email" onclick="document.querySelector('h1').textContent = 'Email'">customer-0@example.com</a>
    <table>${ROWS.join('')}</table></main><script src="/script.js"></script>`
  // Random, so that it is not smaller on its way, as the dashboard's is not.
  const script = `/*${randomBytes(Math.ceil(((bytes - page.length) * 3) / 4)).toString('base64')}*/`
  const server = createServer((request, reply) => {
    const isScript = request.url === '/script.js'
    reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').end(isScript ? script : page)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
