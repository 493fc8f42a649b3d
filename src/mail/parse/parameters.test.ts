import { expect, test } from 'vitest'
import { readParameters } from './parameters.ts'

test.each([
  ['Text/HTML; Charset="UTF-8"; format=flowed', 'text/html', { charset: 'UTF-8', format: 'flowed' }],
  ['text/plain; a="x;y=\\"z\\""; b=c', 'text/plain', { a: 'x;y="z"', b: 'c' }],
  ['multipart/mixed; boundary="a b " junk; boundary=second', 'multipart/mixed', { boundary: 'a b ' }],
  ['text/plain (a comment); (another) charset=utf-8 (third)', 'text/plain', { charset: 'utf-8' }],
  ['attachment; filename=two words (1).pdf; flag; size=3', 'attachment', { filename: 'two words (1).pdf', size: '3' }],
  ['attachment; filename="unclosed.pdf; size=3', 'attachment', { filename: 'unclosed.pdf; size=3' }],
  ["attachment; filename=a; filename*=utf-8''%C3%A9", 'attachment', { filename: 'é' }],
  ["attachment; filename*1*=%A9; filename*0*=utf-8''%C3", 'attachment', { filename: 'é' }],
  ['attachment; filename*0="100%25 "; filename*1="sure"', 'attachment', { filename: '100%25 sure' }],
  ["attachment; filename*=%C3%A9'", 'attachment', { filename: "é'" }],
  ['attachment; filename="=?utf-8?q?caf=C3=A9?="', 'attachment', { filename: 'café' }],
  ["attachment; filename*=utf-8''%3D%3Futf-8%3Fq%3Fx%3F%3D", 'attachment', { filename: '=?utf-8?q?x?=' }],
  ['; = ; =x; y', '', { '': 'x' }],
  ['attachment; filename=""; filename=a.pdf', 'attachment', { filename: 'a.pdf' }],
  ['attachment; filename="a.pdf"; filename*=', 'attachment', { filename: 'a.pdf' }],
  ["attachment; filename*=utf-8''; filename=a.pdf", 'attachment', { filename: 'a.pdf' }],
  ["attachment; filename*0*=utf-8''b; filename*=utf-8''a; filename*1=c", 'attachment', { filename: 'a' }],
  ["attachment; filename*1*=utf-8''%C3; filename*2*=%A9", 'attachment', { filename: 'é' }],
  ['attachment; filename="utf-8\'\'caf%C3%A9.pdf"', 'attachment', { filename: 'café.pdf' }],
  ["attachment; filename=O'Neil's 100%25.pdf", 'attachment', { filename: "O'Neil's 100%25.pdf" }],
  ['attachment; filename*0="=?utf-8?b?w6k="; filename*1="?="', 'attachment', { filename: 'é' }],
])('%s is read', (header, value, parameters) => {
  const read = readParameters(header)

  expect({ value: read.value, parameters: Object.fromEntries(read.parameters) }).toEqual({ value, parameters })
})
