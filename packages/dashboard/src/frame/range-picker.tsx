import { useState } from "react";
import { presetTitles } from "../data/range.ts";
import { useView } from "../data/view.tsx";
import { DEFAULT_RANGE, rangePresets } from "../data/view-search.ts";
import { fullTime, localMinute, zoneName } from "../format/time.ts";
import { Button } from "../parts/button.tsx";
import { Dialog, DialogActions } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Menu, MenuCheck, MenuChoice, MenuItem, MenuSeparator } from "../parts/menu.tsx";

/** The one time range of the page. */
export function RangePicker() {
  const { range, search, change } = useView();
  const [isCustomOpen, setIsCustomOpen] = useState(false);
  const window = `${fullTime(range.from)} to ${fullTime(range.to)}, ${zoneName()}`;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon="calendar" title={window} className="range">
            {range.title}
          </Button>
        }
      >
        <MenuChoice
          value={range.preset ?? "custom"}
          options={rangePresets.map(preset => ({ value: preset as string, label: presetTitles[preset] }))}
          onChange={chosen => {
            const preset = rangePresets.find(one => one === chosen);
            change({ range: preset === DEFAULT_RANGE ? undefined : preset, from: undefined, to: undefined });
          }}
        />
        <MenuItem onSelect={() => setIsCustomOpen(true)}>
          <span className="menu-mark" />
          Choose from and to…
        </MenuItem>
        <MenuSeparator />
        <MenuCheck
          isChecked={search.compare !== "off"}
          onChange={isOn => change({ compare: isOn ? undefined : "off" })}
        >
          Compare with the period before
        </MenuCheck>
        <p className="menu-note muted">Times: {zoneName()}</p>
      </Menu>
      {isCustomOpen && <CustomRange onClose={() => setIsCustomOpen(false)} />}
    </>
  );
}

function CustomRange({ onClose }: { readonly onClose: () => void }) {
  const { range, change } = useView();
  const [from, setFrom] = useState(() => localMinute(range.from));
  const [to, setTo] = useState(() => localMinute(range.to));
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const problem = fromMs < toMs ? null : "must be before the end";
  return (
    <Dialog title="Time range" isOpen onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (problem !== null) return;
          change({
            range: undefined,
            from: new Date(fromMs).toISOString(),
            to: new Date(toMs).toISOString(),
          });
          onClose();
        }}
      >
        <TextField
          label="From"
          type="datetime-local"
          value={from}
          onChange={setFrom}
          problem={problem}
          required
        />
        <TextField
          label="To"
          type="datetime-local"
          value={to}
          onChange={setTo}
          help={`Times: ${zoneName()}`}
          required
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={problem !== null}>
            Show
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
