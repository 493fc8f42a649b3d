import { expect, test } from 'vitest'
import { peopleLines, peopleOf, personOf } from './people.ts'
import { type SearchedMessage, searchText } from './search-document.ts'

const MESSAGE: SearchedMessage = {
  id: '019a8c00-0000-7000-8000-000000000001',
  inbox: '019a8c00-0000-7000-8000-0000deadbeef',
  from: 'Ánna Müller <Anna@Acme.test>',
  to: ['support@postwren.test'],
  cc: [],
  bcc: [],
  subject: 'Fwd: 会议',
  attachments: [{ id: 'x', filename: "it's.pdf", size: 1, content_type: 'application/pdf' }],
  text: 'it is',
}

test('a message is found by its words, its people, its files, its inbox and its time', () => {
  const document = searchText(MESSAGE)

  expect(document.split(' ')).toEqual([
    "'0:deadbeef'",
    ...[14, 18, 22, 26, 30, 34].map((slice) => expect.stringMatching(`^'1:deadbeef:${slice.toString(36)}[0-9a-z]+'$`)),
    "'5:deadbeef'",
    ...["'4:deadbeef:f:anna@acme.test'", "'4:deadbeef:t:support@postwren.test'"],
    // Between pieces a position is left out, so that no phrase goes across.
    ...[
      `'dbeef:fwd':1`,
      `'dbeef:会':2`,
      `'dbeef:议':3`,
      `'dbeef:会议'`,
      `'dbeef:anna':5,9`,
      `'dbeef:acme':6`,
      `'dbeef:test':7,14`,
      `'dbeef:muller':10`,
    ],
    ...[
      `'dbeef:support':12`,
      `'dbeef:postwren':13`,
      `'dbeef:it':17,21`,
      `'dbeef:s':18`,
      `'dbeef:pdf':19`,
      `'dbeef:is':22`,
    ],
  ])
})

test('of a huge message the words stay within what a vector has room for', () => {
  const many = Array.from({ length: 30_000 }, (_, index) => `w${index}`).join(' ')
  const same = 'same '.repeat(20_000)

  expect(searchText({ ...MESSAGE, text: many }).split(' ').length).toBeLessThan(10_100)
  expect(searchText({ ...MESSAGE, text: same }).length).toBeLessThan(5_000)
  expect(searchText({ ...MESSAGE, to: Array(5_000).fill('a@b.test') }).length).toBeLessThan(20_000)
})

test('whatever a header says, it is somebody, and can be stored', () => {
  expect(personOf('"Müller, Anna" <ANNA@acme.test>')).toEqual({
    address: 'anna@acme.test',
    name: 'Müller, Anna',
    folded: 'anna@acme.test muller, anna',
  })
  expect(personOf('anna@acme.test')).toEqual({ address: 'anna@acme.test', name: null, folded: 'anna@acme.test' })
  expect(personOf('undisclosed-recipients:;')!.address).toBe('undisclosed-recipients:;')
  expect(personOf('a\0b \ud800 <x\ny>')).toEqual({ address: 'x y', name: 'a b', folded: 'x y a b' })
  expect(personOf(' ')).toBeNull()
})

test('people are listed once, with their name if any of their mailboxes has one', () => {
  const message = { from: 'a@x.test', to: ['Ann <A@x.test>', 'b@x.test'], cc: ['b@x.test'], bcc: [] }

  expect(peopleOf(message).map(({ address, name }) => [address, name])).toEqual([
    ['a@x.test', 'Ann'],
    ['b@x.test', null],
  ])
  expect(peopleLines(message)).toBe('fa@x.test\nta@x.test ann\ntb@x.test\ncb@x.test')
})
