// @vitest-environment happy-dom
import { Editor } from '@tiptap/core'
import { afterEach, expect, test } from 'vitest'
import { KIT } from './editor-kit.ts'
import { cleanMarkup, editorHtml, isLinkAddress, linkAddress, markupOfEditor } from './rich-text.ts'

let editor: Editor | undefined

afterEach(() => editor?.destroy())

function edit(html: string): Editor {
  editor = new Editor({ extensions: [KIT], content: editorHtml(html), injectCSS: false })
  return editor
}

const through = (html: string) => markupOfEditor(edit(html).getHTML())

test('what a draft says comes out of the editor as it went in', () => {
  for (const html of [
    '<p>Hello <b>there</b>, <i>dear</i> <u>Ada</u></p>',
    '<p>one<br>two</p><p><br></p><p>three</p>',
    '<ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul>',
    '<blockquote><p>They wrote</p><p>this</p></blockquote><p>No</p>',
    '<p>See <a href="https://example.com/?a=1&amp;b=2">it</a>, <a href="mailto:ada@example.com">her</a></p>',
    '<p>5 &lt; 6 &amp; &quot;so&quot;</p>',
  ])
    expect(through(html)).toBe(html)
})

test('several spaces stay several', () => {
  const typed = edit('')
  typed.commands.insertContent({ type: 'text', text: 'a   b' })

  expect(markupOfEditor(typed.getHTML())).toBe('<p>a\u00a0\u00a0 b</p>')
})

test('of untrusted html nothing is left but words and their marks', () => {
  const hostile =
    '<meta charset="utf-8"><b style="font-weight:normal"><h1 onclick="x()">Big</h1><p style="color:red">Dear <span style="font-weight:700">Ada</span>' +
    '<img src=x onerror="x()"><script>x()</script><style>p{}</style></p><table><tr><td>a</td><td>b</td></tr></table>' +
    '<ul><li><a href="javascript:x()">two</a></li></ul><iframe></iframe></b>'

  const clean = '<p><b>Big</b></p><p>Dear <b>Ada</b></p><p>a b</p><ul><li>two</li></ul>'
  expect(cleanMarkup(hostile)).toBe(clean)
  expect(through(hostile)).toBe(clean)
})

test('a link that runs something is none, however it gets in', () => {
  const typed = edit('<p>word</p>')
  typed.chain().selectAll().setLink({ href: 'javascript:alert(1)' }).run()

  expect(markupOfEditor(typed.getHTML())).toBe('<p>word</p>')
  expect(isLinkAddress(' JavaScript:alert(1)')).toBe(false)
  expect(linkAddress('example.com/a')).toBe('https://example.com/a')
  expect(linkAddress('ada@example.com')).toBe('mailto:ada@example.com')
  expect(linkAddress('no address')).toBeNull()
})
