import { expect, test } from 'vitest'
import { readPathCommand } from './path-command.ts'

test.each([
  ['MAIL FROM:<a@b.test>', 'a@b.test', {}],
  ['mail from: <a@b.test>  ', 'a@b.test', {}],
  ['MAIL FROM:<>', '', {}],
  ['MAIL FROM:<> BODY=8BITMIME SMTPUTF8', '', { BODY: '8BITMIME', SMTPUTF8: true }],
  ['MAIL FROM:<a@b.test> size=10 AUTH=<>', 'a@b.test', { SIZE: '10', AUTH: '<>' }],
  ['MAIL FROM:<a@b.test> AUTH=e+3Dmc2@example.com', 'a@b.test', { AUTH: 'e+3Dmc2@example.com' }],
  ['MAIL FROM:<a@b.test> SIZE=', 'a@b.test', { SIZE: true }],
  ['MAIL FROM:<"a b"@b.test>', '"a b"@b.test', {}],
  ['MAIL FROM:<"a>\\"b"@b.test> SIZE=1', '"a>\\"b"@b.test', { SIZE: '1' }],
  ['MAIL FROM:<@relay.test,@other.test:a@b.test>', 'a@b.test', {}],
  ['MAIL FROM:<дмитрий@пример.test> SMTPUTF8', 'дмитрий@пример.test', { SMTPUTF8: true }],
])('%j is read', (line, address, parameters) => {
  expect(readPathCommand('MAIL FROM', line)).toEqual({ address, parameters, repeated: null })
})

test.each([
  ['MAIL FROM:<a@b.test> <c@d.test>', 501],
  ['MAIL FROM:<a@b.test><c@d.test>', 501],
  ['MAIL FROM:<a@b.test>SIZE=1', 501],
  ['MAIL FROM:<a@b.test', 501],
  ['MAIL FROM:<a b@b.test>', 501],
  ['MAIL FROM:<"a@b.test>', 501],
  ['MAIL FROM:a@b.test', 501],
  ['MAIL FROM <a@b.test>', 501],
  ['MAIL TO:<a@b.test>', 501],
  ['MAIL FROM:<a@b.test> =1', 501],
  ['MAIL FROM:<a@b.test> X-FOO', 555],
  ['MAIL FROM:<a@b.test> RET=FULL ENVID=1', 555],
  ['MAIL FROM:<a@b.test> REQUIRETLS', 555],
  ['MAIL FROM:<a@b.test> NOTIFY=NEVER', 555],
])('%j is refused with %i', (line, code) => {
  expect(readPathCommand('MAIL FROM', line)).toMatchObject({ code })
})

test('recipients have no parameters, since none is offered', () => {
  expect(readPathCommand('RCPT TO', 'RCPT TO: <a@b.test>')).toMatchObject({ address: 'a@b.test' })
  expect(readPathCommand('RCPT TO', 'RCPT TO:<a@b.test> NOTIFY=NEVER')).toMatchObject({ code: 555 })
  expect(readPathCommand('RCPT TO', 'RCPT TO:<a@b.test> SIZE=1')).toMatchObject({ code: 555 })
})

test('a parameter that is there twice is named', () => {
  expect(readPathCommand('MAIL FROM', 'MAIL FROM:<a@b.test> SIZE=1 size=2')).toMatchObject({ repeated: 'SIZE' })
})

test('lines of brackets and quotes are read in no time', () => {
  for (const piece of ['"', '\\', '"\\', '<', '@a,', '@a:', 'a@', '""'])
    expect(readPathCommand('MAIL FROM', `MAIL FROM:<${piece.repeat(5_000)}`)).toMatchObject({ code: 501 })
})
