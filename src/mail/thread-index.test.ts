import { expect, test } from 'vitest'
import { outlookConversation } from './thread-index.ts'

const HEAD = Buffer.concat([Buffer.of(1), Buffer.alloc(5, 0xd1), Buffer.alloc(16, 0x2a)])
const index = (...answers: number[]) =>
  Buffer.concat([HEAD, ...answers.map((answer) => Buffer.alloc(5, answer))]).toString('base64')

test('a message and its answers are of one conversation, whatever came between', () => {
  const [first, second, third] = [index(), index(1), index(1, 2, 3)].map((one) => outlookConversation(one, 'Offer'))

  expect(first).not.toBeNull()
  expect([second, third]).toEqual([first, first])
  expect(outlookConversation(`${index(1).slice(0, 20)} \r\n ${index(1).slice(20)}`, 'RE: Offer')).toBe(first)
})

test('another topic is another conversation', () => {
  expect(outlookConversation(index(), 'Invoice')).not.toBe(outlookConversation(index(), 'Offer'))
})

test.each([undefined, '', 'AAAA', '<x@y>', index().slice(0, 20), `${index()}AAAA`, 'A'.repeat(20_000)])(
  '%s is none',
  (written) => {
    expect(outlookConversation(written, 'Offer')).toBeNull()
  },
)

test('white space in it does not count, however much there is', () => {
  const white = ' '.repeat(4_000)

  expect(outlookConversation(`${white}${index()}${white}`, 'Offer')).toBe(outlookConversation(index(), 'Offer'))
  expect(outlookConversation(`${white}${index()}${white}!`, 'Offer')).toBeNull()
})
