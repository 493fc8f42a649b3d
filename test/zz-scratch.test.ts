import { request } from 'node:http'
import net from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { startApp } from './harness/app.ts'

test('scratch', async () => {
  const app = await startApp({ POSTWREN_IMPORT_LIMIT_MB: '1' })
  const acme = await app.as('acme')
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const port = (app.server.server.address() as net.AddressInfo).port
  const f = new FormData()
  f.set('file', new Blob(['email\n' + 'a@example.com\n'.repeat(2_000_000)]), 'a.csv')
  const r = await fetch(`http://127.0.0.1:${port}/contacts/imports`, { method: 'POST', body: f, headers: { authorization: `Bearer ${acme.token}` } }).then(async (r) => `${r.status} ${await r.text()}`, (e) => `throw ${e.cause ?? e}`)
  console.log('too large:', r)
  const f2 = new FormData()
  f2.set('file', new Blob(['email\n' + 'a@example.com\n'.repeat(80_000)]), 'a.csv')
  const r2 = await fetch(`http://127.0.0.1:${port}/contacts/imports`, { method: 'POST', body: f2, headers: { authorization: `Bearer ${acme.token}` } }).then(async (r) => `${r.status} ${await r.text()}`, (e) => `throw ${e.cause ?? e}`)
  console.log('little too large:', r2)
  // raw socket slow upload: send too much, keep the request incomplete
  const sock = net.connect(port, '127.0.0.1')
  let got = ''
  sock.on('data', (d) => { got += d }); sock.on('error', (e) => { got += ` ERR ${e.message}` }); sock.on('close', () => { got += ' CLOSED' })
  sock.write(`POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.token}\r\nContent-Type: multipart/form-data; boundary=xx\r\nContent-Length: 50000000\r\n\r\n--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n`)
  sock.write('a@example.com\n'.repeat(100_000))
  await wait(1000)
  console.log('raw too large:', got.slice(0, 300), got.slice(-10))
  // abort in the middle
  const sock2 = net.connect(port, '127.0.0.1')
  sock2.on('error', () => {})
  sock2.write(`POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.token}\r\nContent-Type: multipart/form-data; boundary=xx\r\nContent-Length: 50000000\r\n\r\n--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n`)
  sock2.write('a@example.com\n'.repeat(50_000))
  await wait(500)
  console.log('pieces before', await app.db.query(sql`select count(*) from contact_import_pieces`))
  sock2.destroy()
  await wait(1000)
  console.log('pieces after', await app.db.query(sql`select count(*) from contact_import_pieces`))
  await app.flush()
  console.log((await acme.get('/logs')).body.data)
})
