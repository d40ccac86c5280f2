//! The platforms that the driver offers as devices, and their order.

use visakit::isa::Platform;

/// Returns the platforms that can be devices, in the order of the pages.
pub fn targets() -> Vec<Platform> {
    let offered = Platform::emulated_ones().filter_map(|target| Some((target.driver_order()?, target)));
    let mut offered: Vec<_> = offered.collect();
    offered.sort_by_key(|&(order, _)| order);
    offered.into_iter().map(|(_, target)| target).collect()
}

/// Returns the offered platforms that `has_compiler` accepts. The first is the default device of
/// the command for sources with images, because programs use the first device for everything.
pub fn in_default_order(has_compiler: impl Fn(Platform) -> bool) -> Vec<Platform> {
    let mut offered: Vec<_> = targets().into_iter().filter(|&target| has_compiler(target)).collect();
    let default = Platform::preferred(true).find(|target| offered.contains(target));
    offered.sort_by_key(|&target| Some(target) != default);
    offered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the product names of the devices for compilers that support the given products.
    fn devices(supported: &[&str]) -> Vec<&'static str> {
        let product = |target: Platform| target.device().map(|device| device.name());
        let offered = in_default_order(|target| product(target).is_some_and(|name| supported.contains(&name)));
        offered.into_iter().filter_map(product).collect()
    }

    #[test]
    fn the_first_device_is_the_newest_card_with_images() {
        let today = ["tgllp", "dg2", "mtl", "pvc", "bmg", "ptl", "cri", "nvl-p"];
        assert_eq!(devices(&today), ["bmg", "ptl", "dg2", "tgllp", "mtl", "cri", "pvc"]);
        assert_eq!(devices(&["skl", "tgllp", "dg2", "pvc"]), ["dg2", "tgllp", "skl", "pvc"]);
        // Without a card, the newest platform with images.
        assert_eq!(devices(&["skl", "tgllp", "mtl", "pvc"]), ["mtl", "tgllp", "skl", "pvc"]);
        // Without images, the order of the pages.
        assert_eq!(devices(&["cri", "pvc"]), ["cri", "pvc"]);
        assert_eq!(devices(&["skl"]), ["skl"]);
    }
}
