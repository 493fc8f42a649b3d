import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { atOnce } from './steps.ts'
import { type Tracker, trackHtml } from './tracked-html.ts'

const trackedHtml = (html: string, tracker: Tracker) => atOnce(trackHtml(html, tracker))

/** The tracked html, and the targets in the order in which they were found. */
function track(html: string, { isPixelWanted = false } = {}) {
  const targets: string[] = []
  const tracked = trackedHtml(html, {
    pixelUrl: isPixelWanted ? 'https://t.dev/o/1' : null,
    linkUrl: (target) => `https://t.dev/c/${targets.push(target)}`,
  })
  return { tracked, targets }
}

describe('links', () => {
  test('are replaced, and nothing else is', () => {
    const { tracked, targets } = track(`<!DOCTYPE html>
<p CLASS=x>Hi &nbsp; <A  title='>' HREF = "https://acme.dev/a?b=1&amp;c=2" >one</A><a href='http://acme.dev'>two</a>
<map><area shape=rect href=https://acme.dev/area></map></p >`)

    expect(tracked).toBe(`<!DOCTYPE html>
<p CLASS=x>Hi &nbsp; <A  title='>' HREF = "https://t.dev/c/1" >one</A><a href='https://t.dev/c/2'>two</a>
<map><area shape=rect href=https://t.dev/c/3></map></p >`)
    expect(targets).toEqual(['https://acme.dev/a?b=1&c=2', 'http://acme.dev', 'https://acme.dev/area'])
  })

  test('are read as a browser reads them', () => {
    const { tracked, targets } = track(
      '<a href="&#104;ttps://acme.dev/?a=1&copy=2&lt=3&eacute;&#x1F600;">x</a><a href="\n https://acme.dev/y\t">y</a>',
    )

    expect(targets).toEqual(['https://acme.dev/?a=1&copy=2&lt=3é😀', 'https://acme.dev/y'])
    expect(tracked).toBe('<a href="https://t.dev/c/1">x</a><a href="https://t.dev/c/2">y</a>')
  })

  test('to anything but the web stay as they are', () => {
    const html = [
      'mailto:a@b.dev',
      'tel:+491234',
      'sms:1',
      '#top',
      '/relative',
      '//acme.dev',
      'cid:logo',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://',
      'https:///path',
      'http://[',
      'https',
      '',
    ]
      .map((href) => `<a href="${href}">x</a>`)
      .join('')

    expect(
      track(`${html}<a name=x><a href><link href="https://acme.dev/a.css"><img src="https://acme.dev/a.png">`),
    ).toEqual({
      tracked: `${html}<a name=x><a href><link href="https://acme.dev/a.css"><img src="https://acme.dev/a.png">`,
      targets: [],
    })
  })

  test('that are no links of the mail stay as they are', () => {
    const html = `<!--[if mso]><a href="https://acme.dev/outlook">x</a><![endif]--><!-- <a href="https://acme.dev"> -->
<style>a[href="https://acme.dev"] { } <a href="https://acme.dev"></style><title><a href="https://acme.dev"></title>
<textarea><a href="https://acme.dev"></textarea><script>'<a href="https://acme.dev">'</script><p data-x='<a href="https://acme.dev">'>`

    expect(track(html)).toEqual({ tracked: html, targets: [] })
  })

  test('between the comments of Outlook are found', () => {
    const { tracked } = track('<!--[if !mso]><!--><a href="https://acme.dev">x</a><!--<![endif]-->')

    expect(tracked).toBe('<!--[if !mso]><!--><a href="https://t.dev/c/1">x</a><!--<![endif]-->')
  })

  test('stay as they are when there is nothing to put in their place', () => {
    const html = '<a href="https://acme.dev/unsubscribe/x">out</a>'

    expect(trackedHtml(html, { pixelUrl: null, linkUrl: () => null })).toBe(html)
  })
})

describe('the picture', () => {
  const pixel = '<img src="https://t.dev/o/1" width="1" height="1" alt="" style="border:0;margin:0;padding:0">'
  const withPixel = (html: string) => track(html, { isPixelWanted: true }).tracked

  test('comes before the end of the body', () => {
    expect(withPixel('<html><body><p>Hi</p></BODY ></html>')).toBe(`<html><body><p>Hi</p>${pixel}</BODY ></html>`)
    expect(withPixel('<p>Hi</p></body><body>again</body><!-- </body> -->')).toBe(
      `<p>Hi</p></body><body>again${pixel}</body><!-- </body> -->`,
    )
  })

  test('comes last where there is no body', () => {
    expect(withPixel('<p>Hi')).toBe(`<p>Hi${pixel}`)
  })

  test('and links behind the body do not hinder each other', () => {
    expect(withPixel('<a href="https://a.dev">a</a></body><a href="https://b.dev">b</a>')).toBe(
      `<a href="https://t.dev/c/1">a</a>${pixel}</body><a href="https://t.dev/c/2">b</a>`,
    )
  })
})

test('any html comes back whole when its links are put back', () => {
  const piece = fc.constantFrom(
    ...[
      '<a href="',
      '<a href=',
      "<area href='",
      'https://acme.dev/',
      '?a=1&amp;b',
      '"',
      "'",
      '>',
      '<',
      '</a>',
      '</body>',
    ],
    ...[
      '<!--',
      '-->',
      '<style>',
      '</style>',
      '<![CDATA[',
      ']]>',
      ' ',
      '\n',
      '=',
      '&',
      '&#',
      'é',
      '😀',
      'href',
      '<p',
      '/',
    ],
  )

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('')
      const { tracked, targets } = track(html)
      const rest = tracked.split(/https:\/\/t\.dev\/c\/\d+/)
      expect(rest).toHaveLength(targets.length + 1)
      let at = 0
      for (const part of rest) {
        const found = html.indexOf(part, at)
        expect(found).toBeGreaterThanOrEqual(at)
        at = found + part.length
      }
      expect(html.startsWith(rest[0]!) && html.endsWith(rest.at(-1)!)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a long html is looked at bit by bit, wherever it is divided', () => {
  const link = '<a title="x" href="https://acme.dev/?a=1&amp;b=2&#x1F600;">😀</a></body>'
  for (let before = 0; before <= link.length; before++) {
    const space = ' '.repeat(65_536 - before)
    const { tracked, targets } = track(`${space}${link}`, { isPixelWanted: true })

    expect(targets).toEqual(['https://acme.dev/?a=1&b=2😀'])
    expect(tracked.slice(space.length)).toMatch(/^<a title="x" href="https:..t\.dev.c.1">😀<.a><img .*><.body>$/)
  }
})

test('beyond ten thousand, links stay as they are', () => {
  const { targets, tracked } = track('<a href="https://acme.dev/">x</a>'.repeat(10_001))

  expect(targets).toHaveLength(2_000)
  expect(tracked.endsWith('<a href="https://acme.dev/">x</a>')).toBe(true)
})

test('hostile html does not take the square of its length', () => {
  for (const unit of ['<div>', '<a href="', '<a href=https://a.dev ', '</body>', '<!--', '&', '<a href="&amp;']) {
    const hostile = unit.repeat(200_000)
    const tracker = { pixelUrl: 'https://t.dev/o/1', linkUrl: () => 'https://t.dev/c/1' }

    expect(terminates(() => trackedHtml(hostile, tracker))).toContain('https://t.dev/o/1')
  }
})

test('long html is tracked in steps, with the same result wherever they end', () => {
  const link = '<a href="https://acme.dev/?a=1&amp;b=2">one</a><!-- <a href="https://no.dev"> --><p title="\'>">é</p>'
  const html = `<body>${link.repeat(3_000)}</body>`
  const tracker = { pixelUrl: 'https://t.dev/o/1', linkUrl: (target: string) => `https://t.dev/c/${target.length}` }
  const steps = trackHtml(html, tracker)
  let count = 1
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++

  expect(count).toBeGreaterThan(3)
  expect(step.value).toBe(trackedHtml(html, tracker))
  expect(step.value).toBe(
    // Beyond a number that no real mail has, links lead where they say.
    `<body>${link.replace('https://acme.dev/?a=1&amp;b=2', 'https://t.dev/c/25').repeat(2_000)}${link.repeat(1_000)}<img src="https://t.dev/o/1" width="1" height="1" alt="" style="border:0;margin:0;padding:0"></body>`,
  )
})
