import { expect, test } from 'vitest'
import { registrableDomain } from './registrable-domain.ts'

test.each([
  ['acme.dev', 'acme.dev'],
  ['links.mail.acme.dev', 'acme.dev'],
  ['acme.dev.', 'acme.dev'],
  ['mail.acme.co.uk', 'acme.co.uk'],
  ['acme.co.uk', 'acme.co.uk'],
  ['shop.acme.com.br', 'acme.com.br'],
  ['co.acme.dev', 'acme.dev'],
  ['mail.co.com', 'co.com'],
  ['mail.t.co', 't.co'],
  ['localhost', 'localhost'],
])('of %s somebody has registered %s', (name, registered) => {
  expect(registrableDomain(name)).toBe(registered)
})
