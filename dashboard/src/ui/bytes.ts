/** A size as people say it. */
export const inBytes = (size: number) =>
  size < 1_000
    ? `${size} B`
    : size < 1_000_000
      ? `${(size / 1_000).toFixed(1)} kB`
      : `${(size / 1_000_000).toFixed(1)} MB`
