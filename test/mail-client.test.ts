import { describe, expect, test } from 'vitest'
import { belongs } from '../dashboard/src/features/inboxes/folders.ts'
import { changed, unreadBy, withPending } from '../dashboard/src/features/inboxes/pending.ts'
import { initialsOf, personOf, shortName } from '../dashboard/src/features/inboxes/people.ts'
import { absorb, offersFor } from '../dashboard/src/features/inboxes/search-offers.ts'
import { askFor, readSearch, writeSearch } from '../dashboard/src/features/inboxes/search-query.ts'
import { extended, NOTHING, toggled } from '../dashboard/src/features/inboxes/selection.ts'
import { type Rows, type ThreadRow, withPage } from '../dashboard/src/features/inboxes/thread-rows.ts'
import { shiftOf, visibleRange } from '../dashboard/src/ui/visible-rows.ts'

// What the mail client of the dashboard knows, without a browser.

const row = (id: string, state: Partial<ThreadRow> = {}): ThreadRow => ({
  ...{ id, subject: id, from: 'Ada <ada@example.com>', to: ['desk@example.com'], cc: [], bcc: [], labels: [] },
  ...{ email_count: 1, has_attachment: false, has_draft: false, read: false, snippet: '' },
  ...{ received_at: '2026-11-15T12:00:00.000Z', folder: 'inbox', assignee_email: null },
  ...state,
})
const rows = (ids: string, hasMore = true): Rows => ({ threads: [...ids].map((id) => row(id)), hasMore })
const page = (ids: string, has_more = true) => ({ data: [...ids].map((id) => row(id)), has_more })
const idsOf = ({ threads }: Rows) => threads.map(({ id }) => id).join('')

describe('a search', () => {
  test('is words, and terms of which each kind is its own parameter', () => {
    const search = readSearch('invoice from:ada to:"Grace Hopper" -draft has:attachments "last week" is:unread')

    expect(search.text).toBe('invoice -draft "last week"')
    expect(askFor(search, []).input).toEqual({
      ...{ query: 'invoice -draft "last week"', from: 'ada', to: 'Grace Hopper', has_attachment: 'true' },
      ...{ read: 'false', folders: 'inbox,archive,sent' },
    })
  })

  test('is the same after it was written and read again', () => {
    const text = 'from:ada label:"to do" folder:trash before:2026-11-01 hello "two words" -no'

    expect(writeSearch(readSearch(text))).toBe(text)
  })

  test('of one kind twice means one or the other; of a folder all that are named', () => {
    const { input, filter } = askFor(readSearch('from:ada from:grace in:spam in:trash'), [])

    expect(input).toMatchObject({ from: 'ada,grace', folders: 'spam,trash' })
    expect(filter.folders).toEqual(['spam', 'trash'])
    expect(askFor(readSearch('folder:anywhere x'), []).filter.folders).toHaveLength(5)
  })

  test('names labels by their names, and says which there are not', () => {
    const labels = [{ id: '1', name: 'To do' }]

    expect(askFor(readSearch('label:"to do"'), labels)).toMatchObject({ input: { labels: '1' }, unknownLabels: [] })
    expect(askFor(readSearch('label:gone'), labels).unknownLabels).toEqual(['gone'])
  })

  test('from one day on and until the day before another is in the time of whoever asks', () => {
    const { input } = askFor(readSearch('after:2026/11/1 before:2026-11-03'), [])

    expect(input.start_date).toBe(new Date('2026-11-01T00:00').toISOString())
    expect(input.end_date).toBe(new Date(new Date('2026-11-03T00:00').getTime() - 1).toISOString())
  })

  test('leaves out what can be left out, and takes moments', () => {
    const { terms, text } = readSearch('-has:attachment -is:read -before:2026-11-01 -from:ada until:2026-11-02T10:00Z')

    expect(terms).toEqual([
      { name: 'has', value: 'attachment', isExcluded: true },
      { name: 'is', value: 'unread' },
      { name: 'after', value: '2026-11-01' },
      { name: 'before', value: '2026-11-02T10:00Z' },
    ])
    expect(text).toBe('-from:ada')
    expect(askFor({ terms, text }, []).input).toMatchObject({
      ...{ has_attachment: 'false', read: 'false', end_date: '2026-11-02T09:59:59.999Z' },
    })
    expect(writeSearch(readSearch('-has:attachments x'))).toBe('-has:attachment x')
  })

  test.each(['has:fun', 'at 12:30', 'before:yesterday', 'after:2026-02-31', 'from:', 'http://example.com', ':'])(
    'takes %s as words',
    (text) => expect(readSearch(text)).toEqual({ terms: [], text }),
  )

  test('makes a chip of a term once it is finished', () => {
    expect(absorb('from:ada').terms).toEqual([])
    expect(absorb('from:"Ada ').terms).toEqual([])
    expect(absorb('hello from:ada ')).toEqual({ terms: [{ name: 'from', value: 'ada' }], text: 'hello ' })
    expect(absorb('hello ')).toEqual({ terms: [], text: 'hello ' })
  })

  test('offers what could come next', () => {
    const known = { labels: [{ name: 'To do' }], people: ['Ada <ada@example.com>'], today: new Date(2026, 10, 16) }
    const offered = (text: string) => offersFor(text, known).map((offer) => offer.text)

    expect(offered('fr')).toEqual(['from:'])
    expect(offered('x label:')).toEqual(['label:"To do"'])
    expect(offered('from:ad')).toEqual(['from:ada@example.com'])
    expect(offered('after:')).toContain('after:2026-11-15')
    expect(offered('is:un')).toEqual(['is:unread'])
    expect(offered('hello')).toEqual([])
  })
})

describe('rows', () => {
  test('that were read page after page are one list', () => {
    expect(idsOf(withPage(rows('abc'), 'c', page('def')))).toBe('abcdef')
    expect(withPage(rows('abc'), 'c', page('d', false)).hasMore).toBe(false)
  })

  test('that are new come to the beginning, and those below stay', () => {
    const now = withPage(rows('abcdefgh'), null, page('xab'))

    expect(idsOf(now)).toBe('xabcdefgh')
    expect(now.hasMore).toBe(true)
  })

  test('that got new mail move up, and are there once', () => {
    expect(idsOf(withPage(rows('abcdefgh'), null, page('fabc')))).toBe('fabcdegh')
  })

  test('that were moved elsewhere go away', () => {
    expect(idsOf(withPage(rows('abcdef'), null, page('acd')))).toBe('acdef')
    expect(idsOf(withPage(rows('abcdef'), 'c', page('df', false)))).toBe('abcdf')
    expect(idsOf(withPage(rows('abc'), null, page('', false)))).toBe('')
  })

  test('behind a gap are read again', () => {
    const now = withPage(rows('abc', false), null, page('xyz'))

    expect(idsOf(now)).toBe('xyz')
    expect(now.hasMore).toBe(true)
  })

  test('behind one that has gone meanwhile are not put anywhere', () => {
    expect(idsOf(withPage(rows('abc'), 'z', page('de')))).toBe('abc')
  })

  test('are drawn while they are in sight, and stay in place when others come above', () => {
    expect(visibleRange(0, 760, 76, 10_000)).toEqual({ first: 0, end: 18 })
    expect(visibleRange(76_000, 760, 76, 10_000)).toEqual({ first: 992, end: 1018 })
    expect(visibleRange(0, 760, 76, 3)).toEqual({ first: 0, end: 3 })
    expect(shiftOf([...'abcd'], [...'xyabcd'], 2)).toBe(2)
    expect(shiftOf([...'abcd'], [...'abd'], 2)).toBe(-1)
  })
})

describe('what was done to threads', () => {
  const label = { id: '1', name: 'To do', color: '#00A2C7' }

  test('is seen before it is confirmed, and only on those threads', () => {
    const pending = [
      { inbox: 'i', thread: 'a', change: { kind: 'mark', read: true }, unread: -1 } as const,
      { inbox: 'i', thread: 'a', change: { kind: 'label', add: [label], remove: [] }, unread: 0 } as const,
    ]

    const [a, b] = withPending([row('a'), row('b')], pending)

    expect(a).toMatchObject({ read: true, labels: [label] })
    expect(b).toEqual(row('b'))
  })

  test('counts what is unread in the inbox', () => {
    expect(unreadBy(row('a'), { kind: 'move', to: 'archive' })).toBe(-1)
    expect(unreadBy(row('a', { read: true }), { kind: 'move', to: 'archive' })).toBe(0)
    expect(unreadBy(row('a', { folder: 'trash' }), { kind: 'move', to: 'inbox' })).toBe(1)
    expect(unreadBy(row('a', { folder: 'spam' }), { kind: 'mark', read: true })).toBe(0)
  })

  test('takes them out of lists that they are not in any more', () => {
    const inbox = { folders: ['inbox'], labels: [] } as const
    const sent = { folders: ['sent'], labels: [] } as const
    const archived = changed(row('a'), { kind: 'move', to: 'archive' })

    expect(belongs(archived, inbox)).toBe(false)
    expect(belongs(archived, sent)).toBe(true)
    expect(belongs(changed(row('a'), { kind: 'move', to: 'trash' }), sent)).toBe(false)
    expect(belongs(row('a', { labels: [label] }), { folders: ['inbox'], labels: ['1'] })).toBe(true)
    expect(belongs(row('a'), { folders: ['inbox'], labels: ['1'] })).toBe(false)
  })

  test('is done to one row, or from one to another', () => {
    const one = toggled(NOTHING, 'b')

    expect([...extended(one, [...'abcde'], 'd').ids]).toEqual(['b', 'c', 'd'])
    expect([...extended(one, [...'abcde'], 'a').ids].sort()).toEqual(['a', 'b'])
    expect([...toggled(one, 'b').ids]).toEqual([])
    expect([...extended(NOTHING, [...'abcde'], 'c').ids]).toEqual(['c'])
  })
})

test('people have a name and two letters, whatever they write', () => {
  expect(personOf('"Lovelace, Ada" <ada@example.com>')).toEqual({ name: 'Lovelace, Ada', address: 'ada@example.com' })
  expect(shortName('ada@example.com')).toBe('ada')
  expect(shortName('<ada@example.com>')).toBe('ada')
  expect([initialsOf('Ada King Lovelace <a@b.test>'), initialsOf('李小龙 <x@b.test>'), initialsOf('')]).toEqual([
    ...['AL', '李', 'N'],
  ])
})
