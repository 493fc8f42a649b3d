import { expect, test } from 'vitest'
import type { Host } from './destination.ts'
import type { Mail } from './mail.ts'
import { judgeTranscript } from './outcomes.ts'

const REFUSAL = '550 5.1.1 No such user'

/** What a refusal of the whole message means for each of its recipients. */
const typesOf = (to: readonly string[], { isDataSent = true, refusals = new Map<string, string>() } = {}) =>
  judgeTranscript({ host: 'mx.example.net' } as Host, { to } as Mail, {
    refusals,
    isDataSent,
    isSenderRefused: false,
    end: { kind: 'refused', reply: REFUSAL },
  }).map((outcome) => outcome.kind === 'bounced' && outcome.bounce.type)

test('a refusal of the message is about its recipient when there is one, and the message was sent', () => {
  expect(typesOf(['ada@example.net'])).toEqual(['Permanent'])
  expect(
    typesOf(['ada@example.net', 'bob@example.net'], { refusals: new Map([['bob@example.net', REFUSAL]]) }),
  ).toEqual(['Permanent', 'Permanent'])
})

test('one of the sender, or of a message for several, makes nobody’s address bad', () => {
  expect(typesOf(['ada@example.net'], { isDataSent: false })).toEqual(['Undetermined'])
  expect(typesOf(['ada@example.net', 'bob@example.net'])).toEqual(['Undetermined', 'Undetermined'])
})
