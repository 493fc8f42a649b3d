import { describe, expect, test } from 'vitest'
import { type App, type Client, type Person, startApp } from '../../../test/harness/app.ts'
import { imageOf } from '../../../test/harness/documents.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'
import { LinkSigner } from '../../platform/links.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from './schema.ts'

/** A PNG of this size by its head: nobody looks further. */
const pngOf = (width: number, height: number, bytes = 0) => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    size,
    Buffer.from('0806000000ffffffff0000000049454e44ae426082', 'hex'),
    Buffer.alloc(bytes),
  ]).toString('base64')
}

const upload = async (caller: Pick<Client, 'post'>, content = imageOf(newId())): Promise<string> =>
  (await caller.post('/editor/images', { content })).body.id

async function start() {
  const { app, acme } = await startAcme()
  return { app, acme, admin: await app.person('acme', 'admin') }
}

/** The page that the unsubscribe link of a mail leads to. */
function openUnsubscribePage(app: App, { team }: Pick<Client, 'team'>) {
  const links = new LinkSigner([app.sealer.deriveKey('links')])
  const token = links.sign('unsubscribe', { team, email: newId(), to: 'ada@example.com' }, null)
  return app.server.inject({ method: 'GET', url: `/unsubscribe/${token}` })
}

async function openSharedPage(app: App, acme: Client) {
  const { body } = await acme.post(`/emails/${await sendEmail(acme)}/share`, {})
  return app.server.inject({ method: 'GET', url: body.url.replace(/^https?:\/\/[^/]+/, '') })
}

const setLogo = (person: Pick<Person, 'patch'>, logo_image_id: string | null) =>
  person.patch('/team', { logo_image_id })

test('the logo and the color of a team are on the pages of its recipients at once, and on no others', async () => {
  const { app, acme, admin } = await start()
  const globex = await app.as('globex')
  const logo_image_id = await upload(admin)

  await admin.patch('/team', { accent_color: '#ffdd00', logo_image_id })

  const { body: team } = await acme.get('/team')
  expect(team).toMatchObject({ accent_color: '#ffdd00', logo_image_id, logo_url: expect.stringMatching(/\/images\//) })
  for (const page of [await openUnsubscribePage(app, acme), await openSharedPage(app, acme)]) {
    expect(page.body).toContain(`<header><img src="${team.logo_url}" alt="">`)
    expect(page.body).toContain('--primary: #ffdd00; --primary-text: #000000;')
    expect(page.headers['content-security-policy']).toContain(`img-src data: ${team.logo_url};`)
  }
  const logo = await app.server.inject({ url: new URL(team.logo_url).pathname })
  expect([logo.statusCode, logo.headers['content-type']]).toEqual([200, 'image/gif'])
  const other = await openUnsubscribePage(app, globex)
  expect(other.body).not.toContain('<img')
  expect(other.body).not.toContain('#ffdd00')

  await admin.patch('/team', { accent_color: null, logo_image_id: null })

  expect((await acme.get('/team')).body).toMatchObject({ accent_color: null, logo_image_id: null, logo_url: null })
  expect((await openUnsubscribePage(app, acme)).body).not.toContain('<img')
})

test('owners and admins set them, and the audit log says so', async () => {
  const { app, acme, admin } = await start()
  const logo_image_id = await upload(acme)
  const changes = { accent_color: '#27695a', logo_image_id }

  for (const role of ['developer', 'viewer'] as const)
    expect((await (await app.person('acme', role)).patch('/team', changes)).body.name).toBe('invalid_permission')
  expect((await admin.patch('/team', changes)).status).toBe(200)

  await app.flush()
  expect((await admin.get('/audit-events?action=team.update')).body.data).toMatchObject([
    { object_id: acme.team, details: changes },
  ])
})

describe('is refused:', () => {
  test.each(['red', '#fff', '#gggggg', '#ffffff;', '#ffffff}body{}', ' #ffffff', 'url(//x)', '</style>', '', 7])(
    'the color %j',
    async (accent_color) => {
      const { acme, admin } = await start()

      const { status, body } = await admin.patch('/team', { accent_color })

      expect([status, body.message]).toEqual([
        422,
        'Invalid `accent_color` field. It must be a color such as `#27695a`.',
      ])
      expect((await acme.get('/team')).body.accent_color).toBeNull()
    },
  )

  test.each([
    ['too many bytes', pngOf(64, 64, MAX_LOGO_BYTES), 'A logo can have up to 512 KB.'],
    ['too wide', pngOf(MAX_LOGO_SIDE + 1, 8), 'A logo can be up to 2048 pixels wide and high.'],
    ['too high', pngOf(8, MAX_LOGO_SIDE + 1), 'A logo can be up to 2048 pixels wide and high.'],
    ['of unknown size', pngOf(0, 0), 'A logo can be up to 2048 pixels wide and high.'],
  ])('a logo that is %s', async (_what, content, reason) => {
    const { acme, admin } = await start()

    const { status, body } = await setLogo(admin, await upload(acme, content))

    expect([status, body.message]).toEqual([422, `Invalid \`logo_image_id\` field. ${reason}`])
    expect((await setLogo(admin, await upload(acme, pngOf(MAX_LOGO_SIDE, MAX_LOGO_SIDE)))).status).toBe(200)
  })

  test('an image of another team, or of none', async () => {
    const { app, admin } = await start()
    const theirs = await upload(await app.as('globex'))

    for (const id of [theirs, newId()])
      expect((await setLogo(admin, id)).body).toMatchObject({
        statusCode: 422,
        message: 'Invalid `logo_image_id` field. There is no such image.',
      })
    expect((await setLogo(admin, 'logo.png')).status).toBe(422)
  })
})

test('an image that is the logo is not deleted by those who may only delete images', async () => {
  const { app, acme, admin } = await start()
  const developer = await app.person('acme', 'developer')
  const id = await upload(developer)
  await setLogo(admin, id)

  expect((await developer.delete(`/editor/images/${id}`)).body).toMatchObject({
    statusCode: 422,
    message: 'This image is the logo of the team. Remove the logo first.',
  })
  expect((await acme.get('/team')).body.logo_image_id).toBe(id)

  await setLogo(admin, null)
  expect((await developer.delete(`/editor/images/${id}`)).status).toBe(200)
})

test('a logo that is chosen and deleted at the same moment is there, or is none', async () => {
  const { acme, admin } = await start()
  const ids = await Promise.all(Array.from({ length: 8 }, () => upload(acme)))

  for (const id of ids) {
    await Promise.all([setLogo(admin, id), acme.delete(`/editor/images/${id}`)])

    const { logo_image_id } = (await acme.get('/team')).body
    const kept = (await acme.get('/editor/images')).body.data.map((image: { id: string }) => image.id)
    if (logo_image_id !== null) expect(kept).toContain(logo_image_id)
    await setLogo(admin, null)
  }
})

test('a team whose images are deleted with it has no logo left', async () => {
  const { app, acme, admin } = await start()
  await setLogo(admin, await upload(acme))

  await app.db.query(sql.write`delete from editor_images where team_id = ${acme.team}`)

  expect((await acme.get('/team')).body).toMatchObject({ logo_image_id: null, logo_url: null })
})

test('a sandbox has no brand: neither that of its owner nor one of its own', async () => {
  const app = await startApp()
  const [acme, owner] = [await app.as('acme'), await app.person('acme', 'owner')]
  await owner.patch('/team', { accent_color: '#ffdd00' })
  const sandbox = await app.sandboxOf(acme)

  expect((await openUnsubscribePage(app, sandbox)).body).not.toContain('#ffdd00')

  for (const reply of [
    await owner.patch(`/sandboxes/${sandbox.team}/team`, { accent_color: '#00ddff' }),
    await sandbox.patch('/team', { accent_color: '#00ddff' }),
  ])
    expect(reply.body.name).toBe('invalid_permission')
})
