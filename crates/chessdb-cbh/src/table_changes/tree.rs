//! The tree of a table: search, insertion with rotations, and building it again if it is damaged.

use std::cmp::Ordering;

use chessdb_core::Result;
use chessdb_core::files::Growing;

use super::{Fault, Step, TableChanges};
use crate::raw::{Entity, Node};
use crate::table_writers::tree;

/// The node of a record without children.
pub(super) const LEAF: Node = Node {
    left: -1,
    right: -1,
    balance: 0,
};

/// Returns a child of a node.
fn child(node: &Node, is_right: bool) -> Option<u32> {
    let number = if is_right { node.right } else { node.left };
    u32::try_from(number).ok()
}

fn set_child(node: &mut Node, is_right: bool, number: Option<u32>) {
    let place = if is_right { &mut node.right } else { &mut node.left };
    *place = number.map_or(-1, |number| number as i32);
}

impl TableChanges {
    fn node(&mut self, base: &dyn Growing, number: u32) -> Step<Node> {
        let record = self.record(base, number)?.ok_or(Fault::Tree)?;
        let node = Node::from_slice(record);
        // A deleted record is not in the tree.
        if node.left < -1 || node.right < -1 { Err(Fault::Tree) } else { Ok(node) }
    }

    fn set_node(&mut self, base: &dyn Growing, number: u32, node: Node) -> Result<()> {
        if let Some(record) = self.record_mut(base, number)?
            && let Some(place) = record.first_chunk_mut()
        {
            *place = node.to_bytes();
        }
        Ok(())
    }

    /// Returns the root; `None` if the tree is empty.
    fn root(&self) -> Option<u32> {
        u32::try_from(self.header.root as i32)
            .ok()
            .filter(|_| self.stored_count() > 0 || !self.changed.is_empty())
    }

    fn compare(&mut self, base: &dyn Growing, name: &[u8], number: u32) -> Step<(Ordering, bool)> {
        let kind = self.kind;
        let record = self.record(base, number)?.ok_or(Fault::Tree)?;
        let stored = kind.normalized(record);
        Ok(((kind.compare)(name, &stored), name == stored))
    }

    /// Returns the number of the record with this data, if `is_same` agrees.
    pub(super) fn search(
        &mut self,
        base: &dyn Growing,
        name: &[u8],
        is_same: &mut dyn FnMut(u32) -> Result<bool>,
    ) -> Step<Option<u32>> {
        let mut waiting: Vec<u32> = self.root().into_iter().collect();
        let mut visited = 0;
        while let Some(number) = waiting.pop() {
            visited += 1;
            if visited > self.len() {
                return Err(Fault::Tree);
            }
            let node = self.node(base, number)?;
            let (order, is_equal) = self.compare(base, name, number)?;
            if is_equal && is_same(number)? {
                return Ok(Some(number));
            }
            // After rotations, records of equal rank are on both sides of each other.
            if order != Ordering::Greater {
                waiting.extend(child(&node, false));
            }
            if order != Ordering::Less {
                waiting.extend(child(&node, true));
            }
        }
        Ok(None)
    }

    /// Inserts a record without children into the tree.
    pub(super) fn insert(&mut self, base: &dyn Growing, new: u32) -> Step<()> {
        let record = self.record(base, new)?.ok_or(Fault::Tree)?.to_vec();
        let name = self.kind.normalized(&record);
        let mut next = self.root().filter(|_| self.len() > 1);
        let mut path = Vec::new();
        while let Some(number) = next {
            if path.len() as u64 >= u64::from(self.len()) {
                return Err(Fault::Tree);
            }
            let node = self.node(base, number)?;
            let is_right = self.compare(base, &name, number)?.0 != Ordering::Less;
            path.push((number, is_right));
            next = child(&node, is_right);
        }
        self.link(base, path.last(), new)?;
        while let Some((parent, is_right)) = path.pop() {
            let mut node = self.node(base, parent)?;
            let change = if is_right { 1 } else { -1 };
            let balance = (node.balance as i8).saturating_add(change);
            if !matches!(balance, -1..=1) {
                let top = self.rotate(base, parent, is_right)?;
                self.link(base, path.last(), top)?;
                break;
            }
            node.balance = balance as u8;
            self.set_node(base, parent, node)?;
            // A subtree that became even did not become higher.
            if balance == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Makes `number` the child of a record on one side, or the root.
    fn link(&mut self, base: &dyn Growing, parent: Option<&(u32, bool)>, number: u32) -> Step<()> {
        match parent {
            Some(&(parent, is_right)) => {
                let mut node = self.node(base, parent)?;
                set_child(&mut node, is_right, Some(number));
                self.set_node(base, parent, node)?;
            }
            None => self.header.root = number,
        }
        Ok(())
    }

    /// Rotates the subtree of a record that became too high on one side. Returns its new root.
    fn rotate(&mut self, base: &dyn Growing, top: u32, is_right: bool) -> Step<u32> {
        let mut node = self.node(base, top)?;
        let heavy_number = child(&node, is_right).ok_or(Fault::Tree)?;
        let mut heavy = self.node(base, heavy_number)?;
        let side: i8 = if is_right { 1 } else { -1 };
        let inner_number = child(&heavy, !is_right);
        if heavy.balance as i8 != -side || inner_number.is_none() {
            set_child(&mut node, is_right, inner_number);
            set_child(&mut heavy, !is_right, Some(top));
            (node.balance, heavy.balance) = (0, 0);
            self.set_node(base, top, node)?;
            self.set_node(base, heavy_number, heavy)?;
            return Ok(heavy_number);
        }
        let inner_number = inner_number.ok_or(Fault::Tree)?;
        let mut inner = self.node(base, inner_number)?;
        set_child(&mut heavy, !is_right, child(&inner, is_right));
        set_child(&mut node, is_right, child(&inner, !is_right));
        set_child(&mut inner, is_right, Some(heavy_number));
        set_child(&mut inner, !is_right, Some(top));
        let balance = inner.balance as i8;
        node.balance = if balance == side { -side as u8 } else { 0 };
        heavy.balance = if balance == -side { side as u8 } else { 0 };
        inner.balance = 0;
        self.set_node(base, top, node)?;
        self.set_node(base, heavy_number, heavy)?;
        self.set_node(base, inner_number, inner)?;
        Ok(inner_number)
    }

    /// Builds the tree of all records that are not deleted, because the one of the file is damaged.
    pub(super) fn rebuild(&mut self, base: &dyn Growing) -> Result<()> {
        let kind = self.kind;
        let mut sorted: Vec<(Vec<u8>, u32)> = Vec::new();
        for number in 0..self.len() {
            if let Some(record) = self.record(base, number)?
                && Node::from_slice(record).left != Node::DELETED
            {
                sorted.push((kind.normalized(record), number));
            }
        }
        sorted.sort_by(|(a, x), (b, y)| (kind.compare)(a, b).then(x.cmp(y)));
        let ranks: Vec<u32> = (0..sorted.len() as u32).collect();
        let (nodes, root) = tree(&ranks);
        let number = |rank: i32| {
            let place = usize::try_from(rank).ok().and_then(|rank| sorted.get(rank));
            place.map_or(-1, |(_, number)| *number as i32)
        };
        for ((_, place), node) in sorted.iter().zip(nodes) {
            let node = Node {
                left: number(node.left),
                right: number(node.right),
                balance: node.balance,
            };
            self.set_node(base, *place, node)?;
        }
        self.header.root = number(root as i32) as u32;
        Ok(())
    }
}
