package rowkey

// WithinTile ends a prefix with the tiles that are in another one, of the next field, which is a `tile`. The tile
// itself is one of them.
func WithinTile(p Prefix, slot Slot, area Tile) Selection {
	first := AppendU64(nil, area.digits<<(2*(maxZoom-int(area.zoom)))<<5)
	return p.spanning(slot, first, AppendTile(nil, area))
}

// WithinQuadkey ends a prefix with the tiles that are in another one, of the next field, which is a `quadkey` of this
// zoom. A tile that is smaller has none.
func WithinQuadkey(p Prefix, slot Slot, area Tile, zoom uint8) Selection {
	if area.zoom > zoom {
		return Selection{layout: p.layout, err: p.err}
	}
	down := 2 * (zoom - area.zoom)
	first := Tile{digits: area.digits << down, zoom: zoom}
	last := Tile{digits: first.digits | (1<<down - 1), zoom: zoom}
	return p.spanning(slot, appendQuadkey(nil, first), appendQuadkey(nil, last))
}

// spanning is the keys whose next field is between two values, both included.
func (p Prefix) spanning(slot Slot, low, high []byte) Selection {
	spans := []span{p.between(slot, bound{low, included}, bound{high, included})}
	return Selection{layout: p.layout, spans: spans, err: p.err}
}
