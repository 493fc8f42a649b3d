import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/harness/service.ts'
import { loadConfig } from './config.ts'

const GOOGLE = { id: 'google', issuer: 'https://accounts.google.com', client_id: 'us', client_secret: 'hush' }

const read = (...providers: unknown[]) => loadConfig({ POSTWREN_OIDC: JSON.stringify(providers) }).OIDC

test('a provider needs an id, an issuer and a client; the rest has defaults', () => {
  expect(loadConfig({}).OIDC).toEqual([])
  expect(read(GOOGLE)).toEqual([
    {
      ...GOOGLE,
      name: 'google',
      scopes: ['openid', 'email', 'profile'],
      groups_claim: 'groups',
      trust_email: false,
      role: 'viewer',
    },
  ])
  expect(read({ ...GOOGLE, domains: ['@Example.COM'] })[0]!.domains).toEqual(['example.com'])
})

test('the setting may be the path of a file', () => {
  const file = join(temporaryFolder(), 'providers.json')
  writeFileSync(file, JSON.stringify([GOOGLE]))

  expect(loadConfig({ POSTWREN_OIDC: file }).OIDC).toMatchObject([{ id: 'google' }])
  expect(() => loadConfig({ POSTWREN_OIDC: `${file}.missing` })).toThrow(/^POSTWREN_OIDC must be .*file.*\(ENOENT\)\.$/)
})

test.each([
  [[{ ...GOOGLE, domain: ['example.com'] }], 'in provider 1 has a field that is unknown: `domain`'],
  [[GOOGLE, { ...GOOGLE }], 'has two providers with the id `google`'],
  [[{ id: 'x', client_id: 'x' }], 'in provider 1 needs the field `issuer`'],
  [[GOOGLE, 'google'], 'in provider 2 must be an object'],
  [[{ ...GOOGLE, id: '../x' }], 'in provider 1 must have small letters, digits, `-` or `_`, up to 40 of them as `id`'],
  [
    [{ ...GOOGLE, issuer: 'http://id.example.com' }],
    'in provider 1 must have an address that begins with `https://` as `issuer`',
  ],
  [[{ ...GOOGLE, domains: [] }], 'in provider 1 must have a list of texts as `domains`'],
  [[{ ...GOOGLE, domains: 'example.com' }], 'in provider 1 must have a list of texts as `domains`'],
  [[{ ...GOOGLE, trust_email: 'yes' }], 'in provider 1 must have true or false as `trust_email`'],
  [[{ ...GOOGLE, role: 'admin' }], 'in provider 1 says where people join, and not who: add `domains` or `groups`'],
])('what is wrong is told in one line, without secrets: %#', (providers, message) => {
  expect(() => read(...providers)).toThrow(`POSTWREN_OIDC ${message}.`)
})

test.each(['{', '[{]', '{"id": "x"}'])('what is no list of providers is refused: %s', (text) => {
  expect(() => loadConfig({ POSTWREN_OIDC: text })).toThrow(/^POSTWREN_OIDC must be /)
})
