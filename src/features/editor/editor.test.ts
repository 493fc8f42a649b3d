import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { documentOf, paragraphOf, saying, textNode } from '../../../test/harness/documents.ts'
import { MAILING } from '../../../test/harness/requests.ts'
import { sql } from '../../kernel/db/sql.ts'
import { MAX_VERSIONS } from './limits.ts'

const MINUTE = 60

async function start(html = '<p>Written directly</p>') {
  const app = await startApp()
  const acme = await app.as('acme')
  const id: string = (await acme.post('/templates', { name: 'Welcome', alias: 'welcome', html })).body.id
  return { app, acme, id, template: ofTemplate(id) }
}

const ofTemplate = (resource_id: string) => ({ resource_type: 'template', resource_id })

/** A key or a person. */
type Caller = Pick<Client, 'get' | 'post'>

const queryOf = (resource: object) => new URLSearchParams(resource as Record<string, string>)
const read = async (client: Caller, resource: object) => (await client.get(`/editor/content?${queryOf(resource)}`)).body
const versionsOf = async (client: Caller, resource: object) =>
  (await client.get(`/editor/versions?${queryOf(resource)}`)).body.data

const save = async (client: Caller, resource: object, content: object, version?: number) =>
  client.post('/editor/content', { ...resource, content, ...(version !== undefined && { version }) })

/** Writes the version with this number again. */
async function restore(client: Caller, resource: object, version: number) {
  const versions: { id: string; version: number }[] = await versionsOf(client, resource)
  return client.post(`/editor/versions/${versions.find((one) => one.version === version)!.id}/restore`)
}

/** The words of a document. */
const wordsOf = ({ text, content = [] }: { text?: string; content?: never[] }): string =>
  `${text ?? ''}${content.map(wordsOf).join('')}`

test('a document is saved with the html and the text that are composed from it', async () => {
  const { acme, id, template } = await start()

  const { body } = await save(acme, { ...template, resource_id: 'welcome' }, saying('Hello <you>'))

  expect(body).toEqual({
    ...{ object: 'editor_content', resource_type: 'template', resource_id: id, version: 1, warnings: [] },
  })
  const { html, text } = (await acme.get(`/templates/${id}`)).body
  expect(html).toContain('Hello &lt;you&gt;')
  expect(text).toBe('Hello <you>')
  const found = await read(acme, template)
  expect(found).toMatchObject({ version: 1, source: 'document', author: { type: 'api_key' } })
  expect(wordsOf(found.content)).toBe('Hello <you>')
})

test('variables of a document are declared, with their fallbacks', async () => {
  const { acme, id, template } = await start()
  await acme.patch(`/templates/${id}`, {
    variables: [
      { key: 'COUNT', type: 'number', fallback_value: 1 },
      { key: 'CITY', type: 'string', fallback_value: 'Rome' },
    ],
  })
  const variable = (name: string, fallback?: string) => ({ type: 'variable', attrs: { name, fallback } })
  const content = [
    variable('NAME', 'you & me'),
    variable('COUNT'),
    variable('CITY', 'Oslo'),
    variable('FIRST_NAME', 'x'),
  ]

  await save(acme, template, documentOf({ type: 'paragraph', content }))

  const { html, variables } = (await acme.get(`/templates/${id}`)).body
  expect(html).toContain('{{{NAME|you &amp; me}}}')
  expect(variables).toMatchObject([
    { key: 'COUNT', type: 'number', fallback_value: 1 },
    { key: 'CITY', type: 'string', fallback_value: 'Oslo' },
    { key: 'NAME', type: 'string', fallback_value: 'you & me' },
  ])
})

test('a published template is used as it was until it is published again', async () => {
  const { acme, id, template } = await start()
  await acme.post(`/templates/${id}/publish`)

  await save(acme, template, saying('New words'))

  expect((await acme.get(`/templates/${id}`)).body).toMatchObject({
    ...{ status: 'published', has_unpublished_versions: true, text: 'New words' },
  })
})

test('a broadcast has a document too, until it is sent', async () => {
  const { acme } = await start()
  const segment = (await acme.post('/segments', { name: 'All' })).body.id
  const { body } = await acme.post('/broadcasts', { ...MAILING, segment_id: segment })
  const broadcast = { resource_type: 'broadcast', resource_id: body.id }
  expect(wordsOf((await read(acme, broadcast)).content)).toBe('Hello ')

  const saved = await save(acme, broadcast, saying('News'))

  expect(saved.body.warnings).toMatchObject([{ code: 'no_unsubscribe_link' }])
  expect((await acme.get(`/broadcasts/${body.id}`)).body.text).toBe('News')
  await acme.post(`/broadcasts/${body.id}/cancel`)
  expect((await save(acme, { ...broadcast, resource_id: 'x' }, saying('y'))).body.name).toBe('invalid_parameter')
})

test('saving over a stale version is refused with a conflict, and nothing is written', async () => {
  const { acme, id, template } = await start()
  await save(acme, template, saying('One'), 0)

  const late = await save(acme, template, saying('Two'), 0)

  expect(late.body).toEqual({
    ...{ statusCode: 409, name: 'version_conflict' },
    message: 'The document has changed: its version is 1, and yours is 0. Read it again.',
  })
  expect((await acme.get(`/templates/${id}`)).body.text).toBe('One')
  expect((await save(acme, template, saying('Two'), 1)).body.version).toBe(2)
})

test('html that is written directly makes a new document, and is kept when that is saved', async () => {
  const { acme, id, template } = await start('<h1>First</h1><!-- kept as it was -->')
  await save(acme, template, saying('A document'))
  await acme.patch(`/templates/${id}`, { html: '<p>By the API</p>', text: 'Own text' })

  const direct = await read(acme, template)
  expect(direct).toMatchObject({ version: 2, source: 'html', author: null })
  expect(wordsOf(direct.content)).toBe('By the API')
  const [newest] = await versionsOf(acme, template)
  expect(newest).toMatchObject({ version: 1, is_current: false })
  expect((await acme.get(`/editor/versions/${newest.id}`)).body.is_current).toBe(false)
  expect((await save(acme, template, saying('Late'), 1)).status).toBe(409)
  await save(acme, template, saying('Again a document'), 2)

  const versions = await versionsOf(acme, template)
  expect(versions).toMatchObject([
    { version: 3, source: 'document', is_current: true, author: { type: 'api_key' } },
    { version: 2, source: 'html', is_current: false, author: null },
    { version: 1, source: 'document' },
    { version: 0, source: 'html' },
  ])
  await restore(acme, template, 2)
  expect((await acme.get(`/templates/${id}`)).body).toMatchObject({ html: '<p>By the API</p>', text: 'Own text' })
  await restore(acme, template, 0)
  expect((await acme.get(`/templates/${id}`)).body.html).toBe('<h1>First</h1><!-- kept as it was -->')
})

test('a text that is written directly is kept as well', async () => {
  const { acme, id, template } = await start()
  await save(acme, template, saying('One'))
  await acme.patch(`/templates/${id}`, { text: 'My own words' })

  await save(acme, template, saying('Two'))

  expect((await versionsOf(acme, template)).map(({ version }: { version: number }) => version)).toEqual([3, 2, 1, 0])
  await restore(acme, template, 2)
  expect((await acme.get(`/templates/${id}`)).body.text).toBe('My own words')
})

test('saves of one author become one version, until there is a pause or another author', async () => {
  const { app, acme, template } = await start('')
  await save(acme, template, saying('One'))
  await save(acme, template, saying('Two'))
  app.clock.advance(6 * MINUTE)
  await save(acme, template, saying('Three'))
  const ada = await app.person('acme', 'owner')
  await save(ada, template, saying('Four'))

  expect(await versionsOf(acme, template)).toMatchObject([
    { version: 4, author: { type: 'user', name: ada.email } },
    { version: 3, author: { type: 'api_key' } },
    { version: 2, author: { type: 'api_key' } },
  ])
})

test('continuous writing makes a version every half an hour', async () => {
  const { app, acme, template } = await start('')
  for (let minute = 0; minute <= 32; minute += 4) {
    await save(acme, template, saying(`Minute ${minute}`))
    app.clock.advance(4 * MINUTE)
  }

  expect((await versionsOf(acme, template)).map(({ version }: { version: number }) => version)).toEqual([9, 8])
})

test('a change of an agent carries its name, and is undone by restoring the previous version', async () => {
  const { app, acme, id, template } = await start('')
  const ada = await app.person('acme', 'owner')
  await save(ada, template, saying('By Ada'))
  const { body } = await acme.post('/editor/connections', { ...template, agent_name: 'Claude' })
  expect(body).toMatchObject({ object: 'editor_connection', room_id: `template-${id}`, apiKeyId: expect.any(String) })
  await save(acme, template, saying('By an agent'))

  expect(await read(ada, template)).toMatchObject({ version: 2, author: { type: 'agent', name: 'Claude' } })
  const events = await app.db.query(sql`
    select type, data from outbox where team_id = ${acme.team} and type like 'editor.%' order by id`)
  expect(events).toMatchObject([
    { type: 'editor.content.updated', data: { id, resource_type: 'template', version: 1, author: { type: 'user' } } },
    { type: 'editor.connections.updated', data: { id } },
    { type: 'editor.content.updated', data: { id, version: 2, author: { type: 'agent', name: 'Claude' } } },
  ])
  const restored = await restore(ada, template, 1)
  expect(restored.body.version).toBe(3)
  expect((await acme.get(`/templates/${id}`)).body.text).toBe('By Ada')
})

test('connections are shown while their lease lasts', async () => {
  const { app, acme, template } = await start()
  const ada = await app.person('acme', 'owner')
  await ada.post('/editor/connections', template)
  await acme.post('/editor/connections', { ...template, agent_name: 'Claude' })
  await acme.post('/editor/connections', { ...template, agent_name: 'Claude' })
  const shown = async () => (await ada.get(`/editor/connections?${queryOf(template)}`)).body.data

  expect(await shown()).toMatchObject([
    { type: 'agent', name: 'Claude', is_own: false },
    { type: 'user', name: ada.email, is_own: true },
  ])
  app.clock.advance(MINUTE + 1)
  expect(await shown()).toMatchObject([{ name: 'Claude' }])
  const gone = await acme.delete('/editor/connections', { ...template, agent_name: 'Claude' })
  expect(gone.body).toEqual({ object: 'editor_connection', deleted: true })
  expect(await shown()).toEqual([])
})

test('so many versions are kept and no more, and all of it goes with what it belongs to', async () => {
  const { app, acme, id, template } = await start('')
  await save(acme, template, saying('Last'))
  await app.db.query(sql`
    insert into editor_versions (team_id, resource_id, id, version, content, created_at, updated_at)
    select team_id, resource_id, gen_random_uuid(), -n, content, created_at, updated_at
    from editor_versions, generate_series(1, ${MAX_VERSIONS + 5}::int) n where team_id = ${acme.team}`)
  app.clock.advance(6 * MINUTE)
  await acme.post('/editor/connections', template)
  await save(acme, template, saying('One more'))

  const count = async () => {
    const [row] = await app.db.query<{ count: number }>(sql`
      select count(*)::int as count from editor_versions where team_id = ${acme.team}`)
    return row!.count
  }
  expect(await count()).toBe(MAX_VERSIONS)
  await acme.delete(`/templates/${id}`)
  expect(await count()).toBe(0)
})

test('nothing of it is seen or changed by another team', async () => {
  const { app, acme, template } = await start()
  await save(acme, template, saying('Ours'))
  const [version] = await versionsOf(acme, template)
  const globex = await app.as('globex')

  for (const reply of [
    await globex.get(`/editor/content?${queryOf(template)}`),
    await globex.get(`/editor/versions?${queryOf(template)}`),
    await globex.get(`/editor/connections?${queryOf(template)}`),
    await globex.post('/editor/content', { ...template, content: saying('Theirs') }),
    await globex.post('/editor/connections', template),
    await globex.get(`/editor/versions/${version.id}`),
    await globex.post(`/editor/versions/${version.id}/restore`),
  ])
    expect(reply.body.name).toBe('not_found')
})

test('two who save at once both get a version, one after the other', async () => {
  const { acme, template } = await start('')

  const versions = await Promise.all([save(acme, template, saying('One')), save(acme, template, saying('Two'))])

  expect(versions.map(({ body }) => body.version).sort()).toEqual([1, 2])
})

test('a copy has the document of what it was copied from, with what its html does not say', async () => {
  const { acme, id, template } = await start('')
  const inputs = [{ prop: 'backgroundColor', value: '#0a7', classReference: 'button' }]
  const data = { theme: 'basic', styles: [{ id: 'button', title: 'Button', classReference: 'button', inputs }] }
  const styled = { type: 'doc', content: [{ type: 'globalContent', attrs: { data } }, ...saying('Styled').content] }
  await save(acme, template, styled)

  const copy = (await acme.post(`/templates/${id}/duplicate`)).body.id

  const { content, source, version } = await read(acme, ofTemplate(copy))
  expect([source, version]).toEqual(['document', 0])
  expect(content).toEqual((await read(acme, template)).content)
})

test('html that cannot be parsed into a document is still kept', async () => {
  const html = '<p>x</p>'.repeat(4_000)
  const { acme, id, template } = await start(html)
  expect((await read(acme, template)).message).toBe('Invalid `html` field. It has more than 3000 nodes and marks.')

  expect((await save(acme, template, saying('Short'))).body.version).toBe(1)

  await restore(acme, template, 0)
  expect((await acme.get(`/templates/${id}`)).body.html).toBe(html)
})

test('a text without html becomes paragraphs', async () => {
  const { acme } = await start()
  const segment = (await acme.post('/segments', { name: 'All' })).body.id
  const { html: _, ...mailing } = MAILING
  const { body } = await acme.post('/broadcasts', { ...mailing, text: 'One <b>\nTwo', segment_id: segment })

  const { content } = await read(acme, { resource_type: 'broadcast', resource_id: body.id })

  const blocks = content.content[0].content.map(wordsOf)
  expect(blocks).toEqual(['One <b>', 'Two'])
})

test('a document is composed without being saved', async () => {
  const { acme } = await start()
  const link = { type: 'link', attrs: { href: '#' } }
  const image = { type: 'image', attrs: { src: 'https://example.com/a.png' } }
  const content = documentOf(
    { type: 'paragraph', content: [textNode('Here', link)] },
    image,
    paragraphOf('{{{NAME|you}}}'),
  )

  const { body } = await acme.post('/editor/compose', { content, resource_type: 'broadcast' })

  expect(body).toMatchObject({
    object: 'composed_email',
    size: body.html.length,
    variables: [{ key: 'NAME', fallback_value: 'you' }],
    warnings: [
      { code: 'no_unsubscribe_link' },
      { code: 'image_without_alt', count: 1 },
      { code: 'empty_link', count: 1 },
    ],
  })
  const large = documentOf(...Array.from({ length: 100 }, (_, n) => paragraphOf(`${n} ${'x'.repeat(1_100)}`)))
  const clipped = await acme.post('/editor/compose', { content: large })
  expect(clipped.body.warnings).toMatchObject([{ code: 'clipped_by_gmail' }])
})

test('the prompt of agents needs no key', async () => {
  const { app } = await start()

  const reply = await app.send({ url: '/api/agent/prompt' })

  expect(reply.body).toEqual({
    data: expect.stringContaining('twoColumns'),
    version: expect.stringMatching(/^\w{12}$/),
  })
})
