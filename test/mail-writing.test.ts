import { describe, expect, test } from 'vitest'
import { type Email, recipientsOf, subjectOf } from '../dashboard/src/features/inboxes/compose/answer.ts'
import { contentOf, type Draft, fieldsOf, NOTHING } from '../dashboard/src/features/inboxes/compose/draft-content.ts'
import { DraftSaver } from '../dashboard/src/features/inboxes/compose/draft-saver.ts'
import type { DraftService } from '../dashboard/src/features/inboxes/compose/draft-service.ts'
import { fitting } from '../dashboard/src/features/inboxes/compose/file-limits.ts'
import { isMailbox, splitMailboxes, withoutRepeated } from '../dashboard/src/features/inboxes/compose/mailboxes.ts'
import { markupOfText, plainText } from '../dashboard/src/features/inboxes/compose/plain-text.ts'
import { bothOf } from '../dashboard/src/features/inboxes/compose/reconcile.ts'
import { joinBody, splitBody } from '../dashboard/src/features/inboxes/compose/tail.ts'
import type { UnsavedDraft } from '../dashboard/src/features/inboxes/compose/unsaved-draft.ts'
import { foldText } from '../dashboard/src/features/inboxes/conversation/fold-text.ts'
import { makeGate } from './harness/gate.ts'

// How the mail client of the dashboard writes and keeps emails, without a browser.

const DRAFT: Draft = {
  ...{ object: 'inbox_draft', id: 'draft', type: 'standalone', to: null, cc: [], bcc: [], subject: null, html: null },
  ...{ text: null, thread_id: null, reply_to_email_id: null, forward_of_email_id: null, email_id: null, version: 1 },
  ...{ send_at: null, send_error: null },
  ...{ source: 'dashboard', created_at: '', updated_at: '', attachments: [] },
}

const refused = (status: number) => Object.assign(new Error(`refused with ${status}`), { status })

/** The service as one draft: refuses other versions, as it does, and loses the answer of what is asked while it is `deaf`. */
class OneDraft implements DraftService {
  draft: Draft | null = null
  isDown = false
  isDeaf = false
  sent = 0
  readonly keys = new Set<string>()

  #answer<Answer>(answer: Answer): Answer {
    if (this.isDeaf) throw refused(0)
    return answer
  }

  #require(): Draft {
    if (this.isDown) throw refused(0)
    if (!this.draft) throw refused(404)
    return this.draft
  }

  async create(_origin: unknown, key: string) {
    if (this.isDown) throw refused(0)
    this.keys.add(key)
    this.draft ??= DRAFT
    return this.#answer(this.draft)
  }

  async read() {
    return this.#answer(this.#require())
  }

  async update(_id: string, { version, attachments: _, ...fields }: Parameters<DraftService['update']>[1]) {
    const draft = this.#require()
    if (draft.email_id !== null || (version !== undefined && version !== draft.version)) throw refused(409)
    const { cc, bcc, ...rest } = fields
    this.draft = { ...draft, ...(rest as Partial<Draft>), cc: (cc ?? []) as string[], bcc: (bcc ?? []) as string[] }
    this.draft.version += 1
    return this.#answer(this.draft)
  }

  attach = (id: string) => this.update(id, {})

  async remove() {
    this.#require()
    this.draft = null
  }

  async send(_id: string, version: number) {
    const draft = this.#require()
    if (draft.email_id !== null || version !== draft.version) throw refused(409)
    this.sent += 1
    this.draft = { ...draft, email_id: 'email' }
    return this.#answer(this.draft)
  }
}

function begin(service: DraftService, { draft = null, reply = false }: { draft?: Draft | null; reply?: boolean } = {}) {
  const stored = new Map<string, UnsavedDraft>()
  const storage = {
    store: (one: UnsavedDraft) => stored.set(one.key, JSON.parse(JSON.stringify(one))) !== undefined,
    remove: (key: string) => void stored.delete(key),
  }
  const origin = reply ? { thread_id: 'thread', reply_to_email_id: 'email' } : {}
  const content = draft ? contentOf(draft) : NOTHING
  const saver = new DraftSaver(service, storage, { key: 'key', inbox: 'inbox', origin, content, draft })
  return { saver, stored }
}

const written = (words: string) => ({ html: `<p>${words}</p>` })
const textOn = ({ draft }: OneDraft) => draft?.text ?? null

describe('a draft', () => {
  test('is on the service once something is written, and then nothing is kept here', async () => {
    const service = new OneDraft()
    const { saver, stored } = begin(service)

    expect(await saver.flush()).toBe(true)
    expect(service.draft).toBe(null)
    saver.change({ to: ['ada@example.com', 'nonsense'], subject: 'Hello', ...written('Dear Ada') })
    expect(stored.get('key')?.content.html).toBe('<p>Dear Ada</p>')
    expect(await saver.flush()).toBe(true)

    expect(service.draft).toMatchObject({ to: ['ada@example.com'], subject: 'Hello', text: 'Dear Ada', version: 2 })
    expect(stored.size).toBe(0)
    expect(saver.state.phase).toEqual({ kind: 'calm', isChanged: false })
  })

  test('waits here while the service is away, and is written once it is back', async () => {
    const service = new OneDraft()
    const { saver, stored } = begin(service)
    service.isDown = true

    saver.change(written('one'))
    expect(await saver.flush()).toBe(false)
    expect(saver.state.phase.kind).toBe('waiting')
    saver.change(written('one two'))
    expect(stored.get('key')?.content.html).toBe('<p>one two</p>')

    service.isDown = false
    expect(await saver.flush()).toBe(true)
    expect(textOn(service)).toBe('one two')
    expect(stored.size).toBe(0)
  })

  test('is no stranger to whoever wrote it and did not hear the answer', async () => {
    const service = new OneDraft()
    const { saver } = begin(service)
    saver.change(written('one'))
    await saver.flush()

    service.isDeaf = true
    saver.change(written('one two'))
    expect(await saver.flush()).toBe(false)
    service.isDeaf = false
    saver.change(written('one two three'))

    expect(await saver.flush()).toBe(true)
    expect(textOn(service)).toBe('one two three')
  })

  test('that was changed elsewhere is followed by a tab in which nothing is written', async () => {
    const service = new OneDraft()
    service.draft = { ...DRAFT, html: '<p>one</p>', text: 'one' }
    const { saver } = begin(service, { draft: service.draft })

    await service.update('draft', { html: '<p>two</p>', text: 'two' })
    saver.noticed(service.draft)

    expect(saver.state).toMatchObject({ revision: 1, content: written('two'), phase: { kind: 'calm' } })
    saver.change(written('two three'))
    expect(await saver.flush()).toBe(true)
    expect(textOn(service)).toBe('two three')
  })

  test('that was sent elsewhere goes on when sending is undone, with what was written here', async () => {
    const service = new OneDraft()
    service.draft = { ...DRAFT, html: '<p>one</p>', text: 'one' }
    const unsent = service.draft
    const { saver } = begin(service, { draft: unsent })

    saver.noticed({ ...unsent, send_at: '2026-01-01T00:00:10.000Z' })
    expect(saver.state.phase).toEqual({ kind: 'gone', how: 'sent' })
    saver.change(written('one two'))
    saver.noticed(unsent)

    expect(saver.state).toMatchObject({ content: written('one two'), phase: { kind: 'calm', isChanged: true } })
    expect(await saver.flush()).toBe(true)
    expect(textOn(service)).toBe('one two')
  })

  test('that was changed elsewhere since is followed, also when that is heard before what was saved here', async () => {
    const service = new OneDraft()
    service.draft = { ...DRAFT, html: '<p>one</p>', text: 'one' }
    const gate = makeGate()
    const update = service.update.bind(service)
    service.update = async (...given) => {
      const answer = await update(...given)
      await gate.opened
      return answer
    }
    const { saver } = begin(service, { draft: service.draft })

    saver.change(written('two'))
    const flushed = saver.flush()
    await update('draft', { html: '<p>three</p>', text: 'three' })
    saver.noticed(service.draft)
    expect(saver.state.content).toMatchObject(written('two'))
    gate.open()

    expect(await flushed).toBe(true)
    expect(saver.state).toMatchObject({ content: written('three'), phase: { kind: 'calm', isChanged: false } })
  })

  test('that two tabs have written to is never overwritten unasked, and keeps both texts when asked', async () => {
    const service = new OneDraft()
    service.draft = { ...DRAFT, html: '<p>one</p>', text: 'one' }
    const [first, second] = [begin(service, { draft: service.draft }), begin(service, { draft: service.draft })]

    first.saver.change(written('of the first'))
    second.saver.change(written('of the second'))
    expect(await first.saver.flush()).toBe(true)
    expect(await second.saver.flush()).toBe(false)
    expect(second.saver.state.phase.kind).toBe('conflict')
    second.saver.change(written('of the second, still'))
    expect(await second.saver.flush()).toBe(false)
    expect(textOn(service)).toBe('of the first')
    expect(second.stored.get('key')?.content.html).toBe('<p>of the second, still</p>')

    const theirs = contentOf(service.draft)
    second.saver.settle(bothOf(second.saver.state.content, theirs, (a, b) => [...a, ...withoutRepeated(b, a)]))
    expect(await second.saver.flush()).toBe(true)
    expect(textOn(service)).toBe('of the second, still\n\n* * *\n\nof the first')
    expect(second.stored.size).toBe(0)
  })

  test('of a reply that somebody else has begun is not overwritten by who begins it, too', async () => {
    const service = new OneDraft()
    service.draft = { ...DRAFT, html: '<p>theirs</p>', text: 'theirs' }
    const { saver } = begin(service, { reply: true })

    saver.change(written('mine'))

    expect(await saver.flush()).toBe(false)
    expect(saver.state.phase.kind).toBe('conflict')
    expect(textOn(service)).toBe('theirs')
  })

  test('is written on from what a closed tab has left behind, whether or not its last call arrived', async () => {
    for (const hasArrived of [false, true]) {
      const service = new OneDraft()
      const { saver, stored } = begin(service)
      saver.change(written('one'))
      await saver.flush()
      service[hasArrived ? 'isDeaf' : 'isDown'] = true
      saver.change(written('one two'))
      await saver.flush()
      saver.change(written('one two three'))
      saver.leave()
      const left = stored.get('key')!
      await Promise.resolve()
      service.isDeaf = service.isDown = false

      const next = begin(service, { draft: service.draft })
      next.saver.restore(left)
      expect(await next.saver.flush()).toBe(true)
      expect(textOn(service)).toBe('one two three')
    }
  })

  test('that was left behind and then changed elsewhere shows both', async () => {
    const service = new OneDraft()
    const { saver, stored } = begin(service)
    saver.change(written('one'))
    await saver.flush()
    service.isDown = true
    saver.change(written('left behind'))
    await saver.flush()
    service.isDown = false
    const left = stored.get('key')!
    await service.update('draft', { html: '<p>elsewhere</p>', text: 'elsewhere' })

    const next = begin(service, { draft: service.draft })
    next.saver.restore(left)
    expect(await next.saver.flush()).toBe(false)
    expect(next.saver.state).toMatchObject({ content: written('left behind'), phase: { kind: 'conflict' } })
  })

  test('is sent once, also when the answer is lost, and with all that was written', async () => {
    const service = new OneDraft()
    const { saver } = begin(service)
    saver.change({ to: ['ada@example.com'], subject: 'Hello', ...written('Dear Ada') })
    await saver.flush()
    saver.change(written('Dear Ada, hello'))
    const flushed = saver.flush()
    service.isDeaf = false
    await flushed

    service.isDeaf = true
    await expect(saver.send()).rejects.toThrow()
    service.isDeaf = false
    await saver.send()

    expect(service.sent).toBe(1)
    expect(textOn(service)).toBe('Dear Ada, hello')
  })

  test('that somebody has changed since is not sent unseen', async () => {
    const service = new OneDraft()
    const { saver } = begin(service)
    saver.change({ to: ['ada@example.com'], subject: 'Hello', ...written('Dear Ada') })
    await saver.flush()
    await service.update('draft', { html: '<p>Dear Bob</p>', text: 'Dear Bob' })

    await expect(saver.send()).rejects.toThrow('changed elsewhere')
    expect(service.sent).toBe(0)
    expect(saver.state.content.html).toBe('<p>Dear Bob</p>')
  })

  test('that is gone says so, and its text is still here', async () => {
    for (const how of ['sent', 'deleted'] as const) {
      const service = new OneDraft()
      const { saver, stored } = begin(service)
      saver.change(written('one'))
      await saver.flush()
      service.draft = how === 'sent' ? { ...service.draft!, email_id: 'email' } : null

      saver.change(written('one two'))
      expect(await saver.flush()).toBe(false)
      expect(saver.state.phase).toEqual({ kind: 'gone', how })
      expect(stored.get('key')?.content.html).toBe('<p>one two</p>')
    }
  })
})

describe('what is written', () => {
  test('is text for those who read no html', () => {
    expect(
      plainText(
        '<p>Dear <b>Ada</b>,<br>hello &amp; welcome</p><ul><li>one</li><li>two<ol><li>a</li><li>b</li></ol></li></ul>' +
          '<blockquote><p>quoted</p><p>twice</p></blockquote><p><a href="https://example.com/?a=1&amp;b=2">here</a> or ' +
          '<a href="mailto:ada@example.com">ada@example.com</a></p>',
      ),
    ).toBe(
      'Dear Ada,\nhello & welcome\n\n- one\n- two\n  1. a\n  2. b\n\n> quoted\n>\n> twice\n\n' +
        'here <https://example.com/?a=1&b=2> or ada@example.com',
    )
    expect(plainText(markupOfText('a < b\r\nc\n\n\nd'))).toBe('a < b\nc\n\nd')
  })

  test('ends where html begins that the editor does not know, and that goes out as it is', () => {
    const html = '<p>Hello</p><br><div class="footer"><p>Acme <img src="https://example.com/a.png"></p></div>'

    const { html: own, tail } = splitBody(html, 'Hello\n\nAcme')
    expect({ own, tail }).toEqual({ own: '<p>Hello</p>', tail: { html: html.slice(12), text: 'Acme' } })
    expect(joinBody({ html: own, text: 'Hello' }, tail)).toEqual({ html, text: 'Hello\n\nAcme' })
    expect(splitBody('<p>a</p><blockquote><p style="x">b</p></blockquote>', null).html).toBe('<p>a</p>')
    expect(splitBody(null, 'one\ntwo').html).toBe('<p>one<br>two</p>')
    expect(fieldsOf(contentOf({ ...DRAFT, html }))).toMatchObject({ html, text: null })
  })

  test('of files takes ten, and 25 MB', () => {
    const file = (name: string, size: number) => ({ name, size })

    expect(fitting([], [file('empty', 0), file('a', 20_000_000), file('b', 10_000_000), file('c', 5)])).toMatchObject({
      files: [{ name: 'a' }, { name: 'c' }],
      refusals: ['“empty” is empty.', expect.stringContaining('“b” (10.0 MB) is too large')],
    })
    const ten = Array.from({ length: 10 }, () => ({ size: 1 }))
    expect(fitting(ten, [file('one', 1)]).refusals).toEqual(['“one” was not added: the maximum is 10 files per email.'])
  })
})

describe('people', () => {
  test('are taken apart as they are written', () => {
    expect(splitMailboxes('ada@example.com, "Hopper, Grace" <grace@example.com>; bob@example.com\n')).toEqual([
      'ada@example.com',
      '"Hopper, Grace" <grace@example.com>',
      'bob@example.com',
    ])
    expect(
      ['a@b.co', 'A <a@b.co>', 'ü@bücher.example', 'a@b', 'a b@c.de', '@b.co', 'a@-b.co', ''].map(isMailbox),
    ).toEqual([...[true, true, true, false, false, false, false, false]])
    expect(withoutRepeated(['A <A@b.co>', 'a@b.co', 'c@d.co'], ['C@D.co'])).toEqual(['A <A@b.co>'])
  })

  const EMAIL: Email = {
    ...{ id: 'email', direction: 'inbound', from: 'Ada <ada@example.com>', reply_to: [], subject: 'Hello', bcc: [] },
    ...{ to: ['Desk+orders@acme.test', 'bob@example.com'], cc: ['Ada@example.com', 'carol@example.com'] },
    ...{ message_id: null, html: null, text: null, attachments: [], read: true, received_at: '' },
  }
  const INBOX = { email_address: 'desk@acme.test' }

  test('get an answer when it is for them, and no copy twice', () => {
    const ofReply = (email: Partial<Email>, kind: 'reply' | 'reply_all' = 'reply') =>
      recipientsOf(INBOX, { ...EMAIL, ...email }, kind)

    expect(ofReply({})).toEqual({ to: ['Ada <ada@example.com>'], cc: [] })
    expect(ofReply({ reply_to: ['list@example.com'] }).to).toEqual(['list@example.com'])
    expect(ofReply({}, 'reply_all')).toEqual({
      to: ['Ada <ada@example.com>', 'bob@example.com'],
      cc: ['carol@example.com'],
    })
    expect(ofReply({ direction: 'outbound', from: 'desk@acme.test', to: ['bob@example.com'] }).to).toEqual([
      'bob@example.com',
    ])
    expect(recipientsOf(INBOX, EMAIL, 'forward')).toEqual({ to: [], cc: [] })
    expect(
      ['Hello', 'RE: Hello', 'Fwd: Hello', null].map((subject) => subjectOf({ ...EMAIL, subject }, 'reply')),
    ).toEqual([...['Re: Hello', 'RE: Hello', 'Re: Fwd: Hello', 'Re:']])
  })
})

test('what an email quotes at its end is folded, and answers between the lines are not', () => {
  const quoted = 'On Mon, 16 Nov 2026 at 05:00, Ada Lovelace\n<ada@example.com> wrote:\n> one\n>\n> two\n'

  expect(foldText(`Thanks!\n\n${quoted}`)).toEqual({ shown: 'Thanks!', folded: quoted.trim() })
  expect(foldText('Am Montag schrieb Ada:\n> one\nJa.\n> two\nNein.').folded).toBe('')
  expect(foldText('Hi\n-----Original Message-----\nFrom: Ada').shown).toBe('Hi')
  expect(foldText('> only\n> quoted')).toEqual({ shown: '> only\n> quoted', folded: '' })
})
