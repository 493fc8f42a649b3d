import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { eventually } from '../../harness/service.ts'

const MAILS = join(import.meta.dirname, '../../fixtures/previews')
const UI = join(import.meta.dirname, '../../../dashboard/src/ui')

/** A mail by itself, in the same letters: a browser's own are another choice, not another layout. */
const BARE = '<!doctype html><style>html{color:#111;font-family:system-ui,sans-serif;overflow-wrap:break-word}</style>'

/** The dashboard's own functions, as a script for an empty page. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './clean-html.ts'; export * from './frame-document.ts'; export * from './html-beginning.ts'`,
      resolveDir: UI,
      loader: 'ts',
    },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'preview' },
  })
  return outputFiles[0]!.text
}

describe.runIf(CHROMIUM)('a mail in its preview', () => {
  let page: Page
  let script: string

  beforeAll(async () => {
    script = await bundle()
    page = (await openBrowser({ lifetime: 'file' })).page
    await page.evaluate(script)
  })

  /** The mail in its preview, and the mail by itself. */
  async function show(html: string): Promise<[shown: Frame, meant: Frame]> {
    await page.evaluate(
      ([mail, bare]) => {
        const { preview, document } = globalThis as never as Globals
        const frames = [preview.frameDocument(preview.cleanHtml(mail), 'data:'), bare + mail].map((content) => {
          const frame = document.createElement('iframe')
          frame.setAttribute('sandbox', '')
          frame.setAttribute('srcdoc', content)
          return frame
        })
        document.body.replaceChildren(...frames)
        return Promise.all(frames.map((frame) => new Promise((resolve) => frame.addEventListener('load', resolve))))
      },
      [html, BARE] as const,
    )
    const frames = await Promise.all((await page.locator('iframe').elementHandles()).map((one) => one.contentFrame()))
    return [frames[0]!, frames[1]!]
  }

  const resize = async (frames: readonly Frame[], width: number) => {
    await page.evaluate(`for (const frame of document.querySelectorAll('iframe'))
      frame.style.cssText = 'width:${width}px;height:2000px;border:0'`)
    for (const frame of frames) await eventually(async () => (await frame.evaluate('innerWidth')) === width)
  }

  test.each(readdirSync(MAILS))('%s is laid out as it is without being cleaned', async (name) => {
    const [shown, meant] = await show(readFileSync(join(MAILS, name), 'utf8'))
    for (const width of [900, 390]) {
      await resize([shown, meant], width)
      const boxes = await readBoxes(meant)
      expect(boxes.length).toBeGreaterThan(10)
      expect(await readBoxes(shown)).toEqual(boxes)
    }
  })

  // Without a bound the parser takes minutes for each of them; the limit of the test says so.
  test.each([
    ['nested boxes', '<div>', 200_000],
    ['nested tables', '<table><tr><td>', 100_000],
    ['open letters', '<b class=x>', 100_000],
    ['boxes with a wrong end', '<div></span>', 100_000],
    ['pictures', '<img src="cid:a">', 100_000],
    ['attributes', '<p>', 1],
  ])('a megabyte of %s does not stop the page', async (name, piece, times) => {
    const html =
      name === 'attributes'
        ? `<p>Hello<p ${Array.from({ length: 200_000 }, (_, n) => `a${n}`).join(' ')}>`
        : piece.repeat(times)
    const shown = await page.evaluate((mail) => {
      const { preview } = globalThis as never as Globals
      return preview.cleanHtml(preview.beginningOf(mail)).length
    }, html)

    expect(shown).toBeGreaterThan(40)
    expect(shown).toBeLessThan(2_000_000)
  })

  test('a mail of an ordinary length is never cut, nor is a large picture in it', async () => {
    const picture = `data:image/png;base64,${'A'.repeat(3_000_000)}`
    const row = '<tr><td width="50%">One<td>Two<p>Three<br><li>Four'
    const html = `<table>${row.repeat(5_000)}</table><img src="${picture}"><p>The end</p>`

    const shown = await page.evaluate((mail) => {
      const { preview } = globalThis as never as Globals
      const { html: short, pictures } = preview.withoutPictures(mail)
      return preview.withInlineImages(preview.cleanHtml(preview.beginningOf(short)), pictures)
    }, html)

    expect(shown).toContain(`<img src="${picture}">`)
    expect(shown).toContain('<p>The end</p>')
  })
})

interface Globals {
  readonly preview: {
    beginningOf(html: string): string
    withoutPictures(html: string): { html: string; pictures: ReadonlyMap<string, string> }
    withInlineImages(html: string, pictures: ReadonlyMap<string, string>): string
    cleanHtml(html: string): string
    frameDocument(html: string, pictures: string): string
  }
  // biome-ignore lint/suspicious/noExplicitAny: the page's, which these types know nothing of
  readonly document: any
}

/** A form is taken out with what is in it left where it was: only its own box is gone. */
const readBoxes = (frame: Frame) =>
  frame.evaluate(`[...document.querySelectorAll('body, body *:not(form)')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const { color, backgroundColor, fontFamily } = getComputedStyle(element)
    return [element.localName, x, y, width, height, color, backgroundColor, fontFamily].join(' ')
  })`) as Promise<string[]>
