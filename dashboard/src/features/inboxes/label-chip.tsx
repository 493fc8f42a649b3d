import './label-chip.css'

interface Labelled {
  readonly name: string
  readonly color: string
}

/** The colour is anybody's choice, so it is a dot: the name is read on the ground of the page. */
export const LabelDot = ({ color }: { color: string }) => <span className="label-dot" style={{ background: color }} />

export const LabelChip = ({ label: { name, color } }: { label: Labelled }) => (
  <span className="label-chip">
    <LabelDot color={color} />
    <span>{name}</span>
  </span>
)
