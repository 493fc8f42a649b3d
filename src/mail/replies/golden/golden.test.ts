import { expect, test } from 'vitest'
import { classify } from '../classify.ts'
import { parseReply } from '../parse-reply.ts'
import { type GoldenReply, isForWriting, readGoldenReplies } from './golden-replies.ts'

/** What the half that was set apart came to. A rule may only make it more. */
const UNSEEN_RIGHT = 230
const UNSEEN_RIGHT_CLASSES = 237
const UNSEEN_SUPPRESSING = 1

const replies = readGoldenReplies()
const written = replies.filter(isForWriting)
const unseen = replies.filter((one) => !isForWriting(one))

const understood = ({ reply, phase, provider }: GoldenReply) => {
  const { class: replyClass, about, means, pauseSeconds = null } = classify({ ...parseReply(reply)!, phase, provider })
  return { class: replyClass, about, means, pauseSeconds }
}

const expected = ({ class: replyClass, about, means, pauseSeconds }: GoldenReply) => ({
  class: replyClass,
  about,
  means,
  pauseSeconds,
})

const isRight = (one: GoldenReply) => JSON.stringify(understood(one)) === JSON.stringify(expected(one))

test('there are at least 300 replies, each once, about half of them set apart', () => {
  expect(new Set(replies.map(({ reply }) => reply)).size).toBe(replies.length)
  expect(replies.length).toBeGreaterThanOrEqual(300)
  expect(Math.abs(written.length - unseen.length)).toBeLessThan(replies.length / 10)
})

test('the half that rules were written by is understood', () => {
  expect(written.map((one) => [one.reply, understood(one)])).toEqual(written.map((one) => [one.reply, expected(one)]))
})

test('of the half that was set apart as much is understood as was measured', () => {
  expect(unseen.filter(isRight).length).toBeGreaterThanOrEqual(UNSEEN_RIGHT)
  const sameClass = unseen.filter((one) => understood(one).class === one.class)
  expect(sameClass.length).toBeGreaterThanOrEqual(UNSEEN_RIGHT_CLASSES)
})

test('hardly a reply that is about something else is taken for a bad address', () => {
  const isSuppressing = (one: GoldenReply) =>
    one.means !== 'bad_address' && classify({ ...parseReply(one.reply)!, phase: one.phase }).means === 'bad_address'

  expect(written.filter(isSuppressing)).toEqual([])
  expect(unseen.filter(isSuppressing).length).toBeLessThanOrEqual(UNSEEN_SUPPRESSING)
})

test('the provider is evidence, and not needed', () => {
  const without = written.filter((one) => isRight({ ...one, provider: null }))

  expect(without.length).toBeGreaterThanOrEqual(written.length - 5)
})
