import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

const WELCOME = { name: 'Welcome', html: '<p>Hello {{{NAME}}}</p>' }

describe('a template', () => {
  test('is created as a draft, shown, listed and deleted', async () => {
    const acme = await (await startApp()).as('acme')

    const created = await acme.post('/templates', {
      ...WELCOME,
      alias: 'welcome',
      from: 'Acme <hello@acme.example>',
      subject: 'Hello {{{NAME}}}',
      text: 'Hello {{{NAME}}}',
      reply_to: 'help@acme.example',
      variables: [
        { key: 'NAME', type: 'string', fallback_value: 'you' },
        { key: 'COUNT', type: 'number' },
      ],
    })

    expect(created.status).toBe(201)
    const { id } = created.body
    expect(created.body).toEqual({ object: 'template', id: expect.any(String) })
    const { body: template } = await acme.get(`/templates/${id}`)
    expect(template).toEqual({
      object: 'template',
      id,
      name: 'Welcome',
      alias: 'welcome',
      status: 'draft',
      published_at: null,
      created_at: expect.stringMatching(/\+00$/),
      updated_at: expect.stringMatching(/\+00$/),
      current_version_id: expect.any(String),
      has_unpublished_versions: true,
      from: 'Acme <hello@acme.example>',
      subject: 'Hello {{{NAME}}}',
      reply_to: ['help@acme.example'],
      html: WELCOME.html,
      text: 'Hello {{{NAME}}}',
      variables: [
        {
          id: expect.any(String),
          key: 'NAME',
          type: 'string',
          fallback_value: 'you',
          created_at: expect.stringMatching(/\+00$/),
          updated_at: expect.stringMatching(/\+00$/),
        },
        expect.objectContaining({ key: 'COUNT', type: 'number', fallback_value: null }),
      ],
    })
    const { name, alias, status, published_at, created_at, updated_at } = template
    expect((await acme.get('/templates')).body.data).toEqual([
      { id, name, status, published_at, created_at, updated_at, alias },
    ])

    expect((await acme.delete('/templates/welcome')).body).toEqual({ object: 'template', id, deleted: true })
    expect((await acme.get(`/templates/${id}`)).body).toMatchObject({ statusCode: 404, message: 'Template not found' })
  })

  test('needs a name and html, and nothing else', async () => {
    const acme = await (await startApp()).as('acme')

    const { body: created } = await acme.post('/templates', WELCOME)
    const nameless = await acme.post('/templates', { html: '' })
    const empty = await acme.post('/templates', { name: 'Welcome' })

    expect((await acme.get(`/templates/${created.id}`)).body).toMatchObject({
      alias: null,
      from: null,
      subject: null,
      reply_to: null,
      text: null,
      variables: [],
    })
    expect(nameless.body).toMatchObject({ statusCode: 422, message: 'Missing `name` field.' })
    expect(empty.body).toMatchObject({ statusCode: 422, message: 'Missing `html` field.' })
  })

  test('of another team does not exist, under its id and under its alias', async () => {
    const app = await startApp()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    const { body: created } = await acme.post('/templates', { ...WELCOME, alias: 'welcome' })

    for (const which of [created.id, 'welcome']) {
      const path = `/templates/${which}`
      const replies = await Promise.all([
        globex.get(path),
        globex.patch(path, { name: 'Mine' }),
        globex.post(`${path}/publish`),
        globex.post(`${path}/duplicate`),
        globex.delete(path),
      ])
      expect(replies.map(({ body }) => [body.statusCode, body.message])).toEqual(
        Array(5).fill([404, 'Template not found']),
      )
    }
    expect((await globex.get('/templates')).body.data).toEqual([])
    expect((await globex.post('/templates', { ...WELCOME, alias: 'welcome' })).status).toBe(201)
    expect((await acme.get('/templates/welcome')).body).toMatchObject({ id: created.id, name: 'Welcome' })
  })
})

describe('an alias', () => {
  test('belongs to one template of the team', async () => {
    const acme = await (await startApp()).as('acme')
    await acme.post('/templates', { ...WELCOME, alias: 'welcome' })
    const { body: other } = await acme.post('/templates', { ...WELCOME, alias: 'other' })

    const replies = [
      await acme.post('/templates', { ...WELCOME, alias: 'welcome' }),
      await acme.patch('/templates/other', { alias: 'welcome' }),
    ]

    for (const { body } of replies)
      expect(body).toEqual({
        statusCode: 422,
        name: 'validation_error',
        message: 'Invalid `alias` field. Another template has the alias `welcome`.',
      })
    expect((await acme.patch('/templates/other', { alias: 'other', name: 'Same' })).status).toBe(200)
    expect((await acme.patch('/templates/other', { alias: 'free' })).status).toBe(200)
    expect((await acme.get('/templates/other')).status).toBe(404)
    expect((await acme.get('/templates/free')).body).toMatchObject({ id: other.id, name: 'Same' })
    expect((await acme.patch('/templates/free', { alias: null })).status).toBe(200)
    expect((await acme.get(`/templates/${other.id}`)).body.alias).toBeNull()
  })

  test.each(['01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', 'a b', 'a/b', '', '.', '..', 'a?b', 'ä', 'a'.repeat(256)])(
    'cannot be %j',
    async (alias) => {
      const acme = await (await startApp()).as('acme')
      const { body: template } = await acme.post('/templates', WELCOME)

      for (const { body } of [
        await acme.post('/templates', { ...WELCOME, alias }),
        await acme.patch(`/templates/${template.id}`, { alias }),
      ])
        expect(body).toMatchObject({ statusCode: 422, message: expect.stringContaining('`alias`') })
    },
  )
})

describe('variables', () => {
  test.each([
    ['string', 'text', 7],
    ['number', 1.5, '1.5'],
    ['boolean', false, 'false'],
    ['object', { a: [1] }, [1]],
    ['list', [1, 'two'], { a: 1 }],
  ])('of the type %s have a fallback like %j and not like %j', async (type, fits, differs) => {
    const acme = await (await startApp()).as('acme')
    const make = (fallback_value: unknown) =>
      acme.post('/templates', { ...WELCOME, variables: [{ key: 'X', type, fallback_value }] })

    const { body: good } = await make(fits)
    const bad = await make(differs)

    expect((await acme.get(`/templates/${good.id}`)).body.variables[0]).toMatchObject({ type, fallback_value: fits })
    expect(bad.body).toMatchObject({
      statusCode: 422,
      message: `Invalid \`variables[0].fallback_value\` field. It must be of the type \`${type}\`.`,
    })
  })

  test.each([
    [{ key: 'FIRST_NAME', type: 'string' }, 'reserved'],
    [{ key: 'RESEND_UNSUBSCRIBE_URL', type: 'string' }, 'reserved'],
    [{ key: 'this', type: 'string' }, 'reserved'],
    [{ key: 'contact', type: 'object' }, 'reserved'],
    [{ key: 'not good', type: 'string' }, 'variables[0].key'],
    [{ key: 'a'.repeat(51), type: 'string' }, 'variables[0].key'],
    [{ key: 'X', type: 'date' }, 'variables[0].type'],
    [{ key: 'X' }, 'variables[0].type'],
    [{ type: 'string' }, 'variables[0].key'],
  ])('like %j are refused', async (variable, hint) => {
    const acme = await (await startApp()).as('acme')
    const { body: template } = await acme.post('/templates', WELCOME)

    for (const { body } of [
      await acme.post('/templates', { ...WELCOME, variables: [variable] }),
      await acme.patch(`/templates/${template.id}`, { variables: [variable] }),
    ])
      expect(body).toMatchObject({ statusCode: 422, message: expect.stringContaining(hint) })
  })

  test('are at most fifty, each declared once', async () => {
    const acme = await (await startApp()).as('acme')
    const some = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `KEY_${n}`, type: 'string' }))

    expect((await acme.post('/templates', { ...WELCOME, variables: some(50) })).status).toBe(201)
    expect((await acme.post('/templates', { ...WELCOME, variables: some(51) })).status).toBe(422)
    expect((await acme.post('/templates', { ...WELCOME, variables: [...some(1), ...some(1)] })).body.message).toBe(
      'Invalid `variables[1].key` field. `KEY_0` is declared twice.',
    )
  })

  test('keep their identity from edit to edit', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { body: created } = await acme.post('/templates', {
      ...WELCOME,
      variables: [
        { key: 'A', type: 'string' },
        { key: 'B', type: 'number' },
      ],
    })
    const path = `/templates/${created.id}`
    const [a, b] = (await acme.get(path)).body.variables

    await acme.patch(path, { subject: 'Hello' })
    expect((await acme.get(path)).body.variables).toEqual([a, b])

    app.clock.advance(1)
    await acme.patch(path, {
      variables: [
        { key: 'C', type: 'list' },
        { key: 'B', type: 'number' },
        { key: 'A', type: 'number' },
      ],
    })
    const { variables } = (await acme.get(path)).body
    expect(variables.map(({ key }: { key: string }) => key)).toEqual(['C', 'B', 'A'])
    expect(variables[1]).toEqual(b)
    expect(variables[2]).toMatchObject({ id: a.id, created_at: a.created_at, type: 'number' })
    expect(variables[2].updated_at > a.updated_at).toBe(true)
  })
})

describe('publishing', () => {
  test('makes a version count; edits wait for the next time', async () => {
    const acme = await (await startApp()).as('acme')
    const { body: created } = await acme.post('/templates', { ...WELCOME, alias: 'welcome' })
    const get = async () => (await acme.get('/templates/welcome')).body
    const draft = await get()

    expect((await acme.post('/templates/welcome/publish')).body).toEqual({ object: 'template', id: created.id })
    const published = await get()
    expect(published).toMatchObject({
      status: 'published',
      published_at: expect.stringMatching(/\+00$/),
      has_unpublished_versions: false,
      current_version_id: draft.current_version_id,
    })

    await acme.patch('/templates/welcome', { html: '<p>Bye</p>', text: null, reply_to: [] })
    const edited = await get()
    expect(edited).toMatchObject({
      status: 'published',
      published_at: published.published_at,
      has_unpublished_versions: true,
      html: '<p>Bye</p>',
      reply_to: null,
    })
    expect(edited.current_version_id).not.toBe(published.current_version_id)

    await acme.post('/templates/welcome/publish')
    expect(await get()).toMatchObject({
      has_unpublished_versions: false,
      current_version_id: edited.current_version_id,
      html: '<p>Bye</p>',
    })
  })

  test('is not undone by a new name', async () => {
    const acme = await (await startApp()).as('acme')
    const { body: created } = await acme.post('/templates', WELCOME)
    await acme.post(`/templates/${created.id}/publish`)

    await acme.patch(`/templates/${created.id}`, { name: 'Renamed', alias: 'renamed' })

    expect((await acme.get('/templates/renamed')).body).toMatchObject({
      name: 'Renamed',
      has_unpublished_versions: false,
    })
  })
})

test('a copy is a draft with the latest content and without the alias', async () => {
  const acme = await (await startApp()).as('acme')
  await acme.post('/templates', {
    ...WELCOME,
    alias: 'welcome',
    subject: 'Hi',
    variables: [{ key: 'NAME', type: 'string', fallback_value: 'you' }],
  })
  await acme.post('/templates/welcome/publish')
  await acme.patch('/templates/welcome', { subject: 'Hello' })
  const { body: original } = await acme.get('/templates/welcome')

  const { status, body: copied } = await acme.post('/templates/welcome/duplicate')

  expect(status).toBe(200)
  expect(copied).toEqual({ object: 'template', id: expect.any(String) })
  expect(copied.id).not.toBe(original.id)
  expect((await acme.get(`/templates/${copied.id}`)).body).toMatchObject({
    name: 'Welcome (Copy)',
    alias: null,
    status: 'draft',
    published_at: null,
    subject: 'Hello',
    html: WELCOME.html,
    variables: [expect.objectContaining({ key: 'NAME', fallback_value: 'you' })],
  })
  await acme.patch(`/templates/${copied.id}`, { subject: 'Other' })
  expect((await acme.get('/templates/welcome')).body).toEqual(original)
})

test('edits that come at once are all kept', async () => {
  const acme = await (await startApp()).as('acme')
  const { body: created } = await acme.post('/templates', WELCOME)
  const path = `/templates/${created.id}`

  const replies = await Promise.all([
    acme.patch(path, { subject: 'Hello' }),
    acme.patch(path, { text: 'Hello' }),
    acme.patch(path, { from: 'a@acme.example' }),
    acme.post(`${path}/publish`),
    acme.patch(path, { name: 'Renamed' }),
  ])

  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect((await acme.get(path)).body).toMatchObject({
    name: 'Renamed',
    subject: 'Hello',
    text: 'Hello',
    from: 'a@acme.example',
    status: 'published',
  })
})
