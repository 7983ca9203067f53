/** The colours of all our pages, light and dark. Every used pair reaches WCAG AA. */
export const palette = `:root {
  color-scheme: light dark;
  --ground: #f3f4f6; --paper: #ffffff; --ink: #1a1d21; --quiet: #545c66; --line: #767f89;
  --accent: #0b57a4; --on-accent: #ffffff;
  --alert: #9b1c1c; --alert-ground: #fdf0ef; --caution: #6b4300; --caution-ground: #fff6e0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101317; --paper: #1a1e24; --ink: #eceff3; --quiet: #a9b3bf; --line: #7d8894;
    --accent: #8cc2ff; --on-accent: #08223f;
    --alert: #ffb4ab; --alert-ground: #3a1614; --caution: #ffd58a; --caution-ground: #33270c;
  }
}`
