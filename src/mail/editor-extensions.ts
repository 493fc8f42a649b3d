import { EmailNode } from '@react-email/editor/core'
import { StarterKit } from '@react-email/editor/extensions'
import { EmailTheming } from '@react-email/editor/plugins'
import { createElement } from 'react'
import { Img, Link } from 'react-email'

// The schema of an email's document: the nodes of `@react-email/editor`, and those of ours. The dashboard edits with it and the service
// composes with it, so both make the same html.

export interface VariableAttributes {
  readonly name: string
  readonly fallback: string | null
}

/** `{{{NAME}}}` or `{{{NAME|fallback}}}`: no part of it may end it. */
export const placeholderOf = ({ name, fallback }: VariableAttributes) => {
  const words = fallback?.replace(/[{}]/g, '').trim()
  return words ? `{{{${name}|${words}}}}` : `{{{${name}}}}`
}

/** What `name` of a variable may be. */
export const VARIABLE_NAME = /^[A-Za-z0-9_.]{1,100}$/

/** A value that is filled in for each recipient. */
export const Variable = EmailNode.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes() {
    return {
      name: { default: '', parseHTML: (element: Attributes) => element.getAttribute('data-variable') },
      fallback: { default: null, parseHTML: (element: Attributes) => element.getAttribute('data-fallback') },
    }
  },
  parseHTML() {
    return [{ tag: 'span[data-variable]' }]
  },
  renderHTML({ node }) {
    const { name, fallback } = node.attrs as VariableAttributes
    const attributes = { 'data-variable': name, ...(fallback && { 'data-fallback': fallback }) }
    return ['span', { ...attributes, class: 'node-variable' }, placeholderOf({ name, fallback })]
  },
  renderText: ({ node }) => placeholderOf(node.attrs as VariableAttributes),
  renderToReactEmail: ({ node }) => placeholderOf(node.attrs as unknown as VariableAttributes) as never,
})

interface Attributes {
  getAttribute(name: string): string | null
}

interface ImageAttributes {
  readonly src: string
  readonly alt: string
  readonly width: string | number
  readonly height: string | number
  readonly alignment: string | null
  readonly href: string | null
  readonly style?: string | null
}

const MARGINS: Readonly<Record<string, object>> = {
  center: { marginLeft: 'auto', marginRight: 'auto' },
  right: { marginLeft: 'auto', marginRight: 0 },
}

/** `{ borderRadius: '8px' }` of `border-radius:8px`. What is in brackets may have semicolons. */
const declarationsOf = (style: string | null | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...(style ?? '').matchAll(/([a-z-]+)\s*:\s*((?:[^;(]|\([^)]*\))+)/gi)].map(([, name, value]) => [
      name!.toLowerCase().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value!.trim(),
    ]),
  )

const sizeOf = (size: string | number) => (size === 'auto' || size === '' ? undefined : size)

/** As `useEditorImage` of the package has it, which only a browser can make; and its alignment counts. */
export const Image = EmailNode.create({
  name: 'image',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes() {
    return {
      src: { default: '' },
      alt: { default: '' },
      width: { default: 'auto' },
      height: { default: 'auto' },
      alignment: { default: 'center' },
      href: { default: null },
    }
  },
  parseHTML() {
    return [{ tag: 'img[src]' }]
  },
  renderHTML({ HTMLAttributes }) {
    return ['img', HTMLAttributes]
  },
  renderToReactEmail({ node, style }) {
    const { src, alt, width, height, alignment, href, style: own } = node.attrs as unknown as ImageAttributes
    const image = createElement(Img, {
      ...{ src, alt, style: { ...style, ...declarationsOf(own), ...MARGINS[alignment ?? ''] } },
      ...(sizeOf(width) !== undefined && { width }),
      ...(sizeOf(height) !== undefined && { height }),
    })
    return href ? createElement(Link, { href }, image) : image
  },
})

/** All of them. What a dashboard adds to these may not have nodes or marks of its own. */
export const EMAIL_EXTENSIONS = [StarterKit, EmailTheming, Variable, Image]
