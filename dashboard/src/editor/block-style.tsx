import type { InspectorNodeContext, InspectorTextContext } from '@react-email/editor/ui'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/switch.tsx'
import { asLink } from './canvas.tsx'
import { asFallback, asName, CHIP } from './chips.ts'
import { ColorControl, NumberControl, TextControl, toNumber } from './controls.tsx'
import { texts } from './texts.ts'

type Styles = Pick<InspectorNodeContext, 'getStyle' | 'setStyle'>
type CssProperty = Parameters<Styles['getStyle']>[0]

const ALIGNMENTS = [
  ['left', texts.style.alignment.left],
  ['center', texts.style.alignment.center],
  ['right', texts.style.alignment.right],
] as const

const TEXTS = ['paragraph', 'heading', 'blockquote', 'bulletList', 'orderedList', 'listItem']
const BOXES = [
  'section',
  'div',
  'twoColumns',
  'threeColumns',
  'fourColumns',
  'columnsColumn',
  'tableCell',
  'tableHeader',
]

/** How a block looks, and what it leads to. */
export function BlockStyle(context: InspectorNodeContext) {
  const { nodeType, getAttr, setAttr } = context
  const text = (name: string) => String(getAttr(name) ?? '')
  if (nodeType === CHIP)
    return (
      <>
        <TextControl
          label={texts.style.name}
          value={text('name')}
          onChange={(name) => asName(name) && setAttr('name', asName(name))}
        />
        <TextControl
          label={texts.style.fallback.label}
          hint={texts.style.fallback.hint}
          value={text('fallback')}
          onChange={(fallback) => setAttr('fallback', asFallback(fallback))}
        />
      </>
    )
  if (nodeType === 'image')
    return (
      <>
        <TextControl
          label={texts.style.alternativeText.label}
          hint={texts.style.alternativeText.hint}
          value={text('alt')}
          onChange={(alt) => setAttr('alt', alt)}
        />
        <TextControl label={texts.style.imageAddress} value={text('src')} onChange={(src) => setAttr('src', src)} />
        <TextControl
          label={texts.style.link.label}
          placeholder={texts.style.link.placeholder}
          value={text('href')}
          onChange={(href) => setAttr('href', href ? asLink(href) : null)}
        />
        <NumberControl
          label={texts.style.width}
          value={toNumber(getAttr('width'))}
          onChange={(width) => setAttr('width', width === '' ? 'auto' : String(width))}
        />
        <Alignment value={text('alignment')} onChange={(alignment) => setAttr('alignment', alignment)} />
        <Corners {...context} />
      </>
    )
  if (nodeType === 'button')
    return (
      <>
        <TextControl
          label={texts.style.link.label}
          placeholder={texts.style.link.placeholder}
          value={text('href') === '#' ? '' : text('href')}
          onChange={(href) => setAttr('href', href ? (asLink(href) ?? '#') : '#')}
        />
        <Alignment value={text('alignment')} onChange={(alignment) => setAttr('alignment', alignment)} />
        <Color {...context} label={texts.style.background} property="backgroundColor" />
        <Color {...context} label={texts.style.text} property="color" />
        <Size {...context} label={texts.style.fontSize} property="fontSize" />
        <Padding {...context} />
        <Corners {...context} />
      </>
    )
  if (BOXES.includes(nodeType))
    return (
      <>
        {/^(two|three|four)Columns$/.test(nodeType) && (
          <NumberControl
            label={texts.style.gap}
            value={toNumber(getAttr('cellspacing'))}
            onChange={(gap) => setAttr('cellspacing', gap === '' ? null : String(gap))}
          />
        )}
        <Color {...context} label={texts.style.background} property="backgroundColor" />
        <Padding {...context} />
        <Corners {...context} />
      </>
    )
  return (
    <>
      {TEXTS.includes(nodeType) && (
        <>
          <Alignment value={text('alignment') || 'left'} onChange={(alignment) => setAttr('alignment', alignment)} />
          <Color {...context} label={texts.style.text} property="color" />
          <Size {...context} label={texts.style.fontSize} property="fontSize" />
        </>
      )}
      <Color {...context} label={texts.style.background} property="backgroundColor" />
      <Padding {...context} />
    </>
  )
}

/** How the selected text looks. */
export function TextStyle({ alignment, setAlignment, marks, toggleMark, ...context }: InspectorTextContext) {
  return (
    <>
      <fieldset className="mark-controls">
        <legend className="hidden">{texts.style.marks.label}</legend>
        {(['bold', 'italic', 'underline', 'strike', 'code'] as const).map((mark) => (
          <Button key={mark} aria-pressed={marks[mark] === true} onClick={() => toggleMark(mark)}>
            {MARKS[mark]}
          </Button>
        ))}
      </fieldset>
      <Alignment value={alignment} onChange={setAlignment} />
      <Color {...context} label={texts.style.text} property="color" />
      <Size {...context} label={texts.style.fontSize} property="fontSize" />
      {context.isLinkActive && (
        <ColorControl label={texts.style.linkColor} value={context.linkColor} onChange={context.setLinkColor} />
      )}
    </>
  )
}

const MARKS = {
  bold: texts.style.marks.bold,
  italic: texts.style.marks.italic,
  underline: texts.style.marks.underline,
  strike: texts.style.marks.strike,
  code: texts.style.marks.code,
} as const

const Alignment = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <div className="field">
    <span>{texts.style.alignment.label}</span>
    <Switch
      label={texts.style.alignment.label}
      options={ALIGNMENTS}
      value={(value || 'left') as 'left'}
      onChange={onChange}
    />
  </div>
)

interface StyleProps extends Styles {
  readonly label: string
  readonly property: CssProperty
}

const Color = ({ label, property, getStyle, setStyle }: StyleProps) => (
  <ColorControl
    label={label}
    value={String(getStyle(property) ?? '')}
    onChange={(color) => setStyle(property, color)}
  />
)

const Size = ({ label, property, getStyle, setStyle }: StyleProps) => {
  const value = getStyle(property)
  // The theme counts in em; what is set here is in pixels.
  const isPixels = typeof value === 'number' || /^[\d.]+(px)?$/.test(String(value ?? ''))
  return (
    <NumberControl
      label={label}
      value={isPixels ? toNumber(value) : ''}
      onChange={(size) => setStyle(property, size)}
    />
  )
}

const Corners = (styles: Styles) => <Size {...styles} label={texts.style.cornerRadius} property="borderRadius" />

const Padding = ({ getStyle, batchSetStyle }: Pick<InspectorNodeContext, 'getStyle' | 'batchSetStyle'>) => {
  const vertical = toNumber(getStyle('paddingTop'))
  const horizontal = toNumber(getStyle('paddingLeft'))
  return (
    <>
      <NumberControl
        label={texts.style.verticalPadding}
        value={vertical}
        onChange={(value) =>
          batchSetStyle([
            { prop: 'paddingTop', value },
            { prop: 'paddingBottom', value },
          ])
        }
      />
      <NumberControl
        label={texts.style.horizontalPadding}
        value={horizontal}
        onChange={(value) =>
          batchSetStyle([
            { prop: 'paddingLeft', value },
            { prop: 'paddingRight', value },
          ])
        }
      />
    </>
  )
}
