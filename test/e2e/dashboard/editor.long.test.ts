import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { PICTURE, startDashboard } from '../../harness/dashboard.ts'

/** The first document of a process waits for React and TipTap to be loaded, which a busy machine takes long for. */
const COMPOSED = { timeout: 60_000 }

describe.runIf(CHROMIUM)('the editor', () => {
  const at = startDashboard()
  let template: string

  beforeAll(async () => {
    const html = '<h1>Hello {{{NAME|there}}}</h1><p>Write something here.</p>'
    template = (await at.post('/templates', { name: 'Welcome', html })).id
  })

  afterEach(() => expect(at.errors).toEqual([]))

  const canvas = () => at.page.getByRole('textbox', { name: 'Email content' })
  /** Beside it, under html, is "Convert to blocks". */
  const blocks = () => at.page.getByRole('button', { name: 'Blocks', exact: true })
  const preview = () => at.page.frameLocator('iframe[title="Email preview"]')
  /** A busy browser lays out frames without an origin when it likes: then what is in them is there, and has no size. */
  const IN_FRAME = { state: 'attached', ...COMPOSED } as const
  const status = (words: string) =>
    at.page.getByLabel('Save status').getByText(words, { exact: true }).waitFor(COMPOSED)
  const type = (text: string) => at.page.keyboard.type(text)
  const press = (key: string) => at.page.keyboard.press(key)
  const resource = () => ({ resource_type: 'template', resource_id: template })
  const stored = async () => (await at.service.call('GET', `/templates/${template}`)).body
  const content = async () =>
    (await at.service.call('GET', `/editor/content?${new URLSearchParams(resource())}`)).body as {
      version: number
      source: string
      author: { name: string }
      content: { content: object[] }
    }
  const typesIn = (node: { type?: string; content?: object[] }): string[] => [
    ...(node.type ? [node.type] : []),
    ...(node.content ?? []).flatMap((child) => typesIn(child)),
  ]

  test('a template is designed with blocks, by keyboard and mouse', async () => {
    await at.follow(`/templates/${template}`)
    await canvas().waitFor(COMPOSED)
    await canvas().getByText('Write something here.').click()
    await press('End')

    await press('Enter')
    await type('/h2')
    await at.page.getByRole('option', { name: /Heading 2/, selected: true }).waitFor()
    await press('Enter')
    await type('Your plan is {{pl')
    await at.page.getByRole('listbox', { name: 'Variables' }).getByText('New variable').waitFor()
    await type('an')
    await press('Enter')
    await type(' for {{{SEATS|one}}} seats')
    await press('Enter')
    await at.button('Insert').click()
    await at.page.getByRole('menuitem', { name: '2 columns' }).click()
    await canvas().locator('.node-columns > *').first().click()
    await type('Left')
    await canvas().locator('.node-columns > *').nth(1).click()
    await type('Right')

    await preview().getByRole('heading', { name: 'Your plan is for one seats' }).waitFor(IN_FRAME)
    await preview().getByText('Right').waitFor(IN_FRAME)
    await status('Saved')
    const types = typesIn((await content()).content)
    expect(types).toEqual(expect.arrayContaining(['heading', 'variable', 'twoColumns', 'columnsColumn']))
    const { html, variables } = await stored()
    const words = html.replace(/<!--.*?-->|<[^>]*>/gs, ' ').replace(/\s+/g, ' ')
    expect(words).toContain('Your plan is {{{plan}}} for {{{SEATS|one}}} seats Left Right')
    expect(variables.map(({ key }: { key: string }) => key)).toEqual(expect.arrayContaining(['NAME', 'plan', 'SEATS']))
  })

  test('an image is uploaded, described, and served to anybody', async () => {
    await canvas().getByText('Write something here.').click()
    await press('End')
    await press('Enter')
    // Asked for before anything is typed: the browser has to know that somebody listens when the key is pressed.
    const choosing = at.page.waitForEvent('filechooser', COMPOSED)
    await type('/image')
    await at.page.getByRole('option', { name: /^Image/, selected: true }).waitFor()
    await press('Enter')
    const chooser = await choosing
    await chooser.setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PICTURE })
    const image = canvas().locator('.image-block img')
    await expect.poll(() => image.getAttribute('data-src')).toMatch(/\/images\//)
    const width = () => image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)
    await expect.poll(width).toBe(1)
    await at.button('Warnings').click()
    await at.page.getByText('Image without alternative text').waitFor(COMPOSED)

    await at.button('Style').click()
    await image.click()
    await at.page.getByLabel('Alternative text').fill('A dot')
    await status('Saved')

    const source = /<img[^>]*src="([^"]+)"/s.exec((await stored()).html)![1]!
    expect((await stored()).html).toMatch(/alt="A dot"/)
    const served = await fetch(source)
    expect(Buffer.from(await served.arrayBuffer())).toEqual(PICTURE)
    await at.button('Warnings').click()
    await at.page.getByText('No warnings.').waitFor(COMPOSED)
    await at.button('Preview').click()
    await expect.poll(() => preview().getByAltText('A dot').getAttribute('src')).toMatch(/^data:image\/png/)
  })

  test('the theme and dark colors are of the whole email', async () => {
    await at.button('Style').click()
    const path = at.page.getByRole('navigation', { name: 'Selected block' })
    await at.button('Email', path).click()
    const dark = at.page.getByRole('group', { name: 'Dark mode' })
    await at.page.locator('summary', { hasText: 'Dark mode' }).click()
    await dark.getByLabel('Own colors for dark mode').check()
    await dark.getByLabel('Text', { exact: true }).fill('#fafafa')
    await at.page.getByRole('group', { name: 'Link' }).getByLabel('Color', { exact: true }).waitFor({ state: 'hidden' })
    await at.page.locator('summary', { hasText: 'Link' }).click()
    await at.page.getByRole('group', { name: 'Link' }).getByLabel('Color', { exact: true }).fill('#cc0000')
    await status('Saved')

    const { html } = await stored()
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html).toContain('#fafafa !important')
    await at.button('Preview').click()
  })

  test('the code is of the same document, and goes back to blocks unless something would be lost', async () => {
    await at.button('HTML').click()
    const code = at.page.getByRole('textbox', { name: 'HTML' })
    await code.waitFor(COMPOSED)
    await blocks().click()
    await canvas().getByText('Right').waitFor()

    const { html } = await stored()
    await at.button('HTML').click()
    await code.waitFor(COMPOSED)
    await code.fill(html.replace('Write something here.', 'Written as code.'))
    await preview().getByText('Written as code.').waitFor(IN_FRAME)
    await blocks().click()
    await canvas().getByText('Written as code.').waitFor(COMPOSED)
    await status('Saved')
    expect(await content()).toMatchObject({ source: 'document' })

    await at.button('HTML').click()
    await code.waitFor(COMPOSED)
    await code.fill('<p>Short <video src="x.mp4"></video></p>')
    await status('Saved')
    await blocks().click()
    await at.dialog().getByText('<video>').waitFor(COMPOSED)
    await at.button('Keep HTML').click()
    await at.page.getByText('This email is written in HTML.').waitFor()
    expect((await stored()).html).toBe('<p>Short <video src="x.mp4"></video></p>')
    expect(await content()).toMatchObject({ source: 'html' })
  })

  test('a version is restored', async () => {
    await at.button('More editor actions').click()
    await at.page.getByRole('menuitem', { name: 'Version history' }).click()
    const versions = at.dialog().getByRole('listitem')
    // The last document: html was written since, so it is not the current version.
    await versions.first().getByRole('button').click()
    await at.dialog().frameLocator('iframe').getByText('Written as code.').waitFor(IN_FRAME)
    await at.button('Restore version', at.dialog()).click()

    await canvas().getByText('Written as code.').waitFor(COMPOSED)
    expect((await stored()).html).toContain('Written as code.')
  })

  test('a test arrives with the same html', async () => {
    await at.page.getByLabel('Subject').fill('Hello {{{NAME|you}}}')
    await at.page.getByLabel('From').fill('Acme <hello@example.com>')
    await at.button('Send test').click()
    await at.dialog().getByLabel('Send test to').fill('me@example.com')
    await at.button('Send test', at.dialog()).click()
    await at.button('View email', at.dialog()).click()

    await at.page.getByRole('heading', { name: /\[Test\] Hello/ }).waitFor()
    const id = at.page.url().split('/').at(-1)!.split('?')[0]!
    const { html } = (await at.service.call('GET', `/emails/${id}`)).body
    expect(html).toContain('Written as code.')
    expect(html).toMatch(/one<!-- -->\s+seats/)
    expect(html).not.toContain('{{{')
    await at.follow(`/templates/${template}`)
    await canvas().waitFor(COMPOSED)
  })

  test('what an agent changes appears at once, with its name, and is undone', async () => {
    await at.post('/editor/connections', { ...resource(), agent_name: 'Claude' })
    await at.page.getByRole('list', { name: 'Also here' }).getByText('Claude').waitFor()
    await at.post('/editor/content', { ...resource(), content: documentOf('By an agent') })

    await at.page.getByText('Claude changed this').waitFor(COMPOSED)
    await canvas().getByText('By an agent').waitFor()
    await at.page.getByRole('status').filter({ hasText: 'Claude' }).getByRole('button', { name: 'Undo' }).click()
    await canvas().getByText('Written as code.').waitFor()
    await status('Saved')
    expect((await stored()).html).toContain('Written as code.')
  })

  test('what both have changed is asked about, and nothing is lost', async () => {
    // Saves of this page wait, as they do on a slow line.
    const held: (() => void)[] = []
    await at.page.route('**/editor/content', (route) =>
      route.request().method() === 'POST' ? void held.push(() => route.fallback()) : route.fallback(),
    )
    await canvas().getByText('Written as code.').click()
    await press('End')
    await type(' Mine.')
    await expect.poll(() => held.length).toBe(1)
    await at.post('/editor/content', { ...resource(), content: documentOf('Theirs') })
    await at.page.unroute('**/editor/content')
    held[0]!()

    const note = at.page.getByRole('alert').filter({ hasText: 'Claude changed this while you were editing' })
    await note.waitFor(COMPOSED)
    expect(await canvas().textContent()).toContain('Mine.')
    await at.button('Keep mine', note).click()
    await status('Saved')
    expect((await stored()).html).toContain('Mine.')
  })

  test('html is imported, and source code of React Email is refused with what to do', async () => {
    await at.button('More editor actions').click()
    await at.page.getByRole('menuitem', { name: 'Import HTML' }).click()
    await at
      .dialog()
      .getByLabel('File')
      .setInputFiles({
        name: 'welcome.tsx',
        mimeType: 'text/plain',
        buffer: Buffer.from(`import { Html } from 'react-email'\nexport default () => <Html />`),
      })
    await at.dialog().getByRole('alert').getByText('npx email export').waitFor()
    await at.dialog().getByLabel('Or paste HTML').fill('<h1>Imported</h1><p>By paste</p>')
    await at.button('Import', at.dialog()).click()

    await canvas().getByRole('heading', { name: 'Imported' }).waitFor(COMPOSED)
    await status('Saved')
    expect((await stored()).html).toContain('Imported')
  })

  test('it is usable by everybody, and on a telephone', async () => {
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Style').click()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.page.setViewportSize({ width: 390, height: 800 })
    await canvas().getByText('By paste').click()
    await type(' and by thumb')
    await at.button('Close panel').waitFor()
    for (const scroller of ['html', 'main', '.email-canvas'])
      expect(await at.page.evaluate(`document.querySelector('${scroller}').scrollWidth`)).toBeLessThanOrEqual(390)
    await at.button('Close panel').click()
    await at.page.setViewportSize({ width: 1280, height: 860 })
    await status('Saved')
  })

  const documentOf = (heading: string) => ({
    type: 'doc',
    content: [
      {
        type: 'container',
        content: [{ type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: heading }] }],
      },
    ],
  })
})
