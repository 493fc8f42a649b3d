import { expect, test } from 'vitest'
import { atOnce } from '../steps.ts'
import { checkContent } from './check-content.ts'
import { contrastOf, rgbOf } from './color.ts'

const found = (html: string) =>
  atOnce(
    checkContent({ html, text: null, headers: [], recipients: 1, files: [], sender: null, targetOf: (href) => href }),
  )
    .findings.filter(({ check }) => check === 'accessibility')
    .map(({ severity, impact, line, title, detail }) => ({
      told: `${severity} ${impact} ${line ?? '-'} ${title}`,
      detail,
    }))

const told = (html: string) => found(html).map((one) => one.told)
const SOUND = '<html lang="en"><head><title>Hello</title></head>'
const CONTRAST = 'Low contrast between text and background'

test('a mail says its language and has a title', () => {
  expect(told('<html><body>x</body></html>')).toEqual([
    'warning major - The HTML has no language (lang)',
    'notice major - The HTML has no title',
  ])
  expect(told('<html lang=""><title> </title>x')).toHaveLength(2)
  expect(told(`${SOUND}<body>x</body></html>`)).toEqual([])
  expect(told('<title>Hello</title><div lang="de">x</div>')).toEqual([])
})

test('tables for the layout say that they are none; tables with headings are some', () => {
  const layout = `${SOUND}<table><tr><td>\n<table><tr><td>x</td></tr></table></td></tr></table>`
  const data = `${SOUND}<table role="presentation"><tr><td><table><tr><th>Item</th></tr></table></td></tr></table>`

  expect(found(layout)).toEqual([
    {
      told: 'notice major 1 Screen readers announce layout tables as data tables',
      detail: expect.stringContaining('2 have no role.'),
    },
  ])
  expect(told(data)).toEqual([])
  expect(told(`${SOUND}<table><tr><td>x`)).toHaveLength(1)
})

test.each([
  ['<p style="color:#aaa;background:#fff">x</p>', [`warning major 1 ${CONTRAST}`]],
  ['<td bgcolor="#F4F4F7"><p style="color: #A8AAAF">x</p></td>', [`warning major 1 ${CONTRAST}`]],
  ['<div style="background-color:white"><font color="silver">x</font></div>', [`warning major 1 ${CONTRAST}`]],
  ['<div style="background:#fff"><p style="color:#888">x</p></div>', [`notice minor 1 ${CONTRAST}`]],
  ['<div style="background:#fff"><p style="color:#888;font-size:28px">x</p></div>', []],
  ['<div style="background:#fff"><p style="color:#111">x</p></div>', []],
  // What nobody can tell is not told.
  ['<p style="color:#aaa">x</p>', []],
  ['<div style="background:#fff url(a.png)"><p style="color:#aaa">x</p></div>', []],
  ['<div style="background:rgba(255,255,255,.5)"><p style="color:#aaa">x</p></div>', []],
  ['<div style="background:#fff"><p style="color:var(--grey)">x</p></div>', []],
  ['<div style="background:#fff"><b style="color:#aaa"> · </b></div>', []],
  [
    '<style>.dark{background:#000}</style><div style="background:#fff"><div class="dark"><p style="color:#aaa">x</p></div></div>',
    [],
  ],
  [
    '<style>.dark{padding:0}</style><div style="background:#fff"><div class="dark"><p style="color:#aaa">x</p></div></div>',
    [`warning major 1 ${CONTRAST}`],
  ],
  // A line that is shown beside the subject only.
  ['<div style="background:#fff"><p style="color:#fff;display:none">x</p></div>', []],
  ['<div style="background:#fff"><p style="color:#fff;max-height:0;font-size:1px">x</p></div>', []],
])('contrast: %j', (html, expected) => {
  expect(told(SOUND + html)).toEqual(expected)
})

test('the same two colors are told once, with the ratio', () => {
  const [one, ...others] = found(
    `${SOUND}<div style="background:#ffffff">${'<p style="color:#aaaaaa">x</p>'.repeat(7)}</div>`,
  )

  expect(one!.detail).toBe(
    '#aaaaaa on #ffffff has a contrast of 2.3 to 1; WCAG asks for 4.5, or 3 where text is large. It is used 7 times.',
  )
  expect(others).toEqual([])
})

test('colors are read in the ways that mail writes them', () => {
  expect(
    ['#FFF', '#ffffff', 'ffffff', 'white', 'rgb(255, 255, 255)', 'rgba(255 255 255 / 1)', ' #fff !important'].map(
      (color) => rgbOf(color),
    ),
  ).toEqual(Array(7).fill([255, 255, 255]))
  expect(
    ['#fff8', 'rgba(0,0,0,.5)', 'transparent', 'constructor', '', 'var(--x)'].map((color) => rgbOf(color)),
  ).toEqual(Array(6).fill(null))
  expect(contrastOf([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
  expect(contrastOf([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2)
})
